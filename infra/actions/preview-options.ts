import type { Config } from '../../shared/config/config.ts';

/** Takes the options of a preview or a run from the configuration. */
export const previewOptions = ({ kinds, namespaces, concurrency, pruneLimit }: Config) => ({
  area: { kinds, namespaces },
  concurrency,
  pruneLimit,
});
