import { child, configMap, defineKind, objectName, secret, Type } from '../../index.ts';
import type { ReadDefinition } from '../../shared/kinds/reads.ts';

interface Spec {
  readonly labels: Readonly<Record<string, string>>;
}

/** Lists in a ConfigMap what its selector finds. */
export const boardReading = (from?: ReadDefinition<Spec>['from'], kind = 'Board') =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    spec: Type.Object({ labels: Type.Record(Type.String(), Type.String()) }),
    samples: [{ name: 'board', spec: { labels: { app: 'shop' } } }],
    owns: [configMap],
    reads: {
      notes: {
        type: configMap,
        selector: ({ spec }) => ({ matchLabels: spec.labels }),
        ...(from !== undefined && { from }),
      },
      tokens: { type: secret, selector: ({ spec }) => ({ matchLabels: spec.labels }) },
    },
    children: ({ name, reads: { notes, tokens } }) => [
      child(configMap, {
        name: objectName(`${name}-list`),
        body: {
          data: {
            notes: notes.map((one) => `${one.namespace}/${one.name}=${one.data?.text}`).join(' '),
            tokens: tokens.map((one) => `${one.name}:${one.keys.join()}`).join(' '),
          },
        },
      }),
    ],
  });

export const board = boardReading();

/** A ConfigMap for Boards to find; an annotation grants it. */
export const note = (
  name: string,
  {
    namespace = 'default',
    labels = { app: 'shop' },
    text = '1',
    annotations,
  }: {
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly text?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  } = {},
) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels, ...(annotations && { annotations }) },
  data: { text },
});
