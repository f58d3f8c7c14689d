import { expect, test } from 'vitest';
import {
  type Child,
  child,
  configMap,
  defineKind,
  deployment,
  horizontalPodAutoscaler,
  objectName,
  secret,
  secretValue,
  Type,
  workloadName,
} from '../../index.ts';
import { expectReliable } from '../../testing/index.ts';

const reason = 'SourceMissing';
const cannotExist: Record<string, (name: string, source: string) => Child> = {
  'is made of a Secret that is missing': (name, source) =>
    child(secret, {
      name,
      body: {},
      templates: { password: secretValue({ name: source }, 'password') },
    }),
  'is blocked': (name, source) =>
    child(configMap, {
      name,
      body: { data: { source } },
      blocked: { reason, message: `create ${source}` },
    }),
};

test.each(Object.entries(cannotExist))(
  'expectReliable does not miss children that wait for one that %s',
  async (_, missing) => {
    const kind = defineKind({
      group: 'example.org',
      version: 'v1',
      kind: 'Waiting',
      plural: 'waitings',
      spec: Type.Object({ source: Type.Enum(['one', 'other'], { default: 'one' }) }),
      samples: [{ name: 'one', spec: {} }],
      owns: [secret, configMap, deployment, horizontalPodAutoscaler],
      reads: { source: { type: secret, name: ({ spec }) => spec.source } },
      children({ name, spec: { source } }) {
        const settings = missing(objectName(`${name}-settings`), source);
        const labels = { app: 'waiting' };
        const containers = [{ name: 'web', image: 'example.org/web:1', args: [source] }];
        const web = child(deployment, {
          name: workloadName(name),
          needs: [settings],
          body: {
            spec: {
              selector: { matchLabels: labels },
              template: { metadata: { labels }, spec: { containers } },
            },
          },
        });
        const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: web.name };
        const scaled = child(horizontalPodAutoscaler, {
          name: objectName(name),
          actsOn: web,
          body: { spec: { scaleTargetRef, maxReplicas: 3 } },
        });
        return [settings, web, scaled];
      },
    });
    const tried = await expectReliable(kind, { specs: [{ source: 'one' }, { source: 'other' }] });
    expect(tried.sequences).toBe(1);
  },
);

test('expectReliable does not require a clean-up whose Secret is missing', async () => {
  const all = ({ name }: { readonly name: string }) => {
    const templates = { password: secretValue({ name: 'source' }, 'password') };
    return [child(secret, { name: objectName(`${name}-settings`), body: {}, templates })];
  };
  const kind = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Leaving',
    plural: 'leavings',
    spec: Type.Object({}),
    samples: [{ name: 'one', spec: {} }],
    owns: [secret],
    reads: { source: { type: secret, name: () => 'source' } },
    children: all,
    finalize: all,
  });
  expect((await expectReliable(kind, { specs: [{}] })).sequences).toBe(1);
});
