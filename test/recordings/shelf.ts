import { child, configMap, defineKind, deployment, secret, service, Type } from '../../index.ts';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';

/** The children of a Shelf; each test changes one field. */
export interface Shelf {
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly replicas: number;
  readonly selector: string;
  readonly env: readonly JsonObject[];
  readonly port: number;
  readonly secret: Readonly<Record<string, string>>;
  /** Suffixes of the names of ConfigMaps. */
  readonly maps: readonly string[];
  readonly strategy: string;
}

export const shelf: Shelf = {
  image: 'web:1',
  labels: { tier: 'web' },
  replicas: 2,
  selector: 'app',
  env: [{ name: 'MODE', value: 'plain' }],
  port: 80,
  secret: { token: 'b25l' },
  maps: ['a', 'b'],
  strategy: 'RollingUpdate',
};

/** Makes a version of the kind Shelf, which owns a Deployment, a Service, a Secret and ConfigMaps. */
export const shelfKind = (change: Partial<Shelf> = {}): Kind => {
  const { image, labels, replicas, selector, env, port, ...other } = { ...shelf, ...change };
  return defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Shelf',
    plural: 'shelves',
    spec: Type.Object({ size: Type.Integer({ default: 1 }) }),
    samples: [{ name: 'one', spec: {} }],
    owns: [deployment, service, secret, configMap],
    children({ name }) {
      const own = { [selector]: name };
      const of = (type: ChildType, body: JsonObject, suffix = '') =>
        child(type, {
          name: `${name}${suffix}`,
          labels,
          body: body as never,
          ...(type === deployment ? { recreate: true as const } : {}),
        });
      return [
        of(deployment, {
          spec: {
            replicas,
            strategy: { type: other.strategy },
            selector: { matchLabels: own },
            template: {
              metadata: { labels: own },
              spec: { containers: [{ name: 'web', image, env }] },
            },
          },
        }),
        of(service, { spec: { selector: own, ports: [{ name: 'web', port, protocol: 'TCP' }] } }),
        of(secret, { data: other.secret }),
        ...other.maps.map((suffix) => of(configMap, { data: { key: 'value' } }, `-${suffix}`)),
      ];
    },
  });
};
