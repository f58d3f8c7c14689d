import { keyOf } from '../storage/stored.ts';
import type { Target, Writer } from './target.ts';

const DIRECTORIES: Readonly<Record<string, string>> = {
  ingresses: 'ingress',
  services: 'services/specs',
};

/** Where the real server would keep the object, which its errors tell. */
export const registryKey = (
  { served, namespace, name }: Target,
  { dryRun }: Pick<Writer, 'dryRun'>,
): string => {
  const { group, plural, custom } = served.resource;
  const directory = custom ? `${group}/${plural}` : (DIRECTORIES[plural] ?? plural);
  return `${dryRun ? '' : '/registry'}/${directory}/${keyOf(namespace, name)}`;
};
