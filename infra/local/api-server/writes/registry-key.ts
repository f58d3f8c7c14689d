import { keyOf } from '../storage/stored.ts';
import type { Target, Writer } from './target.ts';

const DIRECTORIES: Readonly<Record<string, string>> = {
  ingresses: 'ingress',
  services: 'services/specs',
};

/** Where the real server would keep an object or, without a name, those of a namespace. */
export const pathInRegistry = ({ served, namespace, name }: Target): string => {
  const { group, plural, custom } = served.resource;
  const directory = custom ? `${group}/${plural}` : (DIRECTORIES[plural] ?? plural);
  return `/${directory}/${name === '' ? namespace : keyOf(namespace, name)}`;
};

/** The same as its errors give it. */
export const registryKey = (target: Target, { dryRun }: Pick<Writer, 'dryRun'>): string =>
  `${dryRun ? '' : '/registry'}${pathInRegistry(target)}`;
