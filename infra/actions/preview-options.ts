import type { Config } from '../../shared/config/config.ts';

/** The options of a preview or a run that follow from the configuration. */
export const previewOptions = ({ kinds, namespaces, concurrency, pruneLimit }: Config) => ({
  area: { kinds, namespaces },
  concurrency,
  pruneLimit,
});
