import { child, configMap, defineKind, Type } from '../../index.ts';
import type { Kind } from '../../shared/kinds/kind.ts';

/** A kind that writes its text into a ConfigMap, and reports each resource that is planned. */
export const noteKind = (onPlanned: (name: string) => void): Kind =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Note',
    plural: 'notes',
    spec: Type.Object({ text: Type.String() }),
    samples: [{ name: 'note', spec: { text: 'x' } }],
    owns: [configMap],
    children({ name, spec: { text } }) {
      onPlanned(name);
      return [child(configMap, { name, body: { data: { text } } })];
    },
  });
