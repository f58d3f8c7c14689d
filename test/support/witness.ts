import { child, configMap, defineChildType, defineKind, Type } from '../../index.ts';

const names = { group: 'example.org', version: 'v1', kind: 'Witness', plural: 'witnesses' };
const itself = defineChildType(names);

/** A kind whose status remembers that it has seen the ConfigMap `signal`. */
export const witness = defineKind({
  ...names,
  spec: Type.Object({}),
  samples: [{ name: 'witness', spec: {} }],
  owns: [configMap],
  reads: {
    itself: { type: itself, name: ({ name }) => name },
    signal: { type: configMap, name: () => 'signal' },
  },
  status: { seen: Type.Boolean() },
  children: ({ name }) => [child(configMap, { name: `${name}-own`, body: {} })],
  statusOf({ reads }) {
    const { seen } = (reads?.itself?.status ?? {}) as { seen?: boolean };
    return { seen: seen === true || reads?.signal !== undefined };
  },
});
