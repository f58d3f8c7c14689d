import { Type } from 'typebox';
import { afterAll, describe, expect, it } from 'vitest';
import { child, defineKind, deployment, labelValue, workloadName } from '../../index.ts';
import { expectConverged } from '../../testing/index.ts';
import { LabelSelector, PodTemplateSpec, ResourceRequirements } from '../../types/index.ts';
import { createSchemaJudge } from '../support/schema-verdicts.ts';
import { cases, listOf } from './cases.ts';

const judge = createSchemaJudge();
afterAll(judge.stop);

/** Only the API server compares the items of a list with each other. */
const isOfServer = (reason: string): boolean => /^two (containers|ports)|twice$/.test(reason);

describe.each(Object.entries(cases))('%s', (name, { schema, good, bad }) => {
  it('is accepted as part of a CRD, and accepts and refuses the same values there as in the kind', async () => {
    const verdictOn = await judge.install(schema);
    for (const value of good)
      expect(verdictOn(value), JSON.stringify(value)).toMatchObject({
        refusal: undefined,
        invalid: undefined,
        stored: value,
      });
    for (const [reason, value] of Object.entries(bad)) {
      const { refusal, invalid } = verdictOn(value);
      expect(refusal, reason).toEqual(expect.any(String));
      if (!isOfServer(reason)) expect(invalid, reason).toEqual(expect.any(String));
    }
  });

  it('is accepted in a list', async () => {
    const verdictOn = await judge.install(listOf(name, schema));
    expect(verdictOn([good[0]]).refusal).toBeUndefined();
  });
});

it('four pod templates fit a CRD', async () => {
  const one = PodTemplateSpec;
  const verdictOn = await judge.install(Type.Object({ a: one, b: one, c: one, d: one }));
  expect(verdictOn({ a: {}, b: {}, c: {}, d: {} }).refusal).toBeUndefined();
});

const requests = { cpu: '100m' };
const pool = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Pool',
  plural: 'pools',
  spec: Type.Object({
    template: PodTemplateSpec,
    resources: { ...ResourceRequirements, default: { requests } },
    avoid: Type.Optional(LabelSelector),
  }),
  samples: [
    {
      name: 'pool-sample',
      spec: {
        template: {
          metadata: { labels: { tier: 'back' } },
          spec: { containers: [{ name: 'app', image: 'a:1', ports: [{ containerPort: 80 }] }] },
        },
        avoid: { matchLabels: { tier: 'front' } },
      },
    },
  ],
  owns: [deployment],
  children({ name, spec: { template, resources, avoid } }) {
    const labels = { ...template.metadata?.labels, pool: labelValue(name) };
    const terms = avoid && [{ labelSelector: avoid, topologyKey: 'kubernetes.io/hostname' }];
    const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: terms };
    const [first, ...others] = template.spec?.containers ?? [];
    if (first === undefined) return [];
    return [
      child(deployment, {
        name: workloadName(name),
        body: {
          spec: {
            selector: { matchLabels: labels },
            template: {
              metadata: { ...template.metadata, labels },
              spec: {
                ...template.spec,
                containers: [{ ...first, resources }, ...others],
                affinity: { podAntiAffinity },
              },
            },
          },
        },
      }),
    ];
  },
});

it('values of Kubernetes types in a spec fit the bodies of children, which converge', async () => {
  const { children } = await expectConverged(pool);
  expect(children).toEqual(['Deployment pool-sample']);
});
