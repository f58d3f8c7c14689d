import { child, configMap, defineKind, job, kept, nameAtMost, Type } from '../../index.ts';
import { podOf } from './finalizing-kind.ts';

/** A kind that keeps the ConfigMap `NAME-data`, and runs a Job at the end. */
export const journal = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Journal',
  plural: 'journals',
  spec: Type.Object({ keep: Type.Boolean({ default: true }) }),
  rules: [nameAtMost(40)],
  samples: [{ name: 'one', spec: {} }],
  owns: [configMap, job],
  children: ({ name }) => [
    child(configMap, {
      name: `${name}-data`,
      onCollision: 'adopt-if-unowned',
      body: { data: { a: 'b' } },
    }),
    child(configMap, { name: `${name}-settings`, body: { data: { a: 'b' } } }),
  ],
  finalize({ name, spec: { keep } }) {
    const body = { spec: { template: { spec: podOf('one') } } };
    return [
      child(job, { name: `${name}-report`, body }),
      ...(keep ? [kept(configMap, { name: `${name}-data` })] : []),
    ];
  },
});
