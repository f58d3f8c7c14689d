import type { Config } from '../../shared/config/config.ts';

export const previewOptions = ({ kinds, namespaces, concurrency, pruneLimit }: Config) => ({
  area: { kinds, namespaces },
  concurrency,
  pruneLimit,
});
