import { expect, it } from 'vitest';
import { child, configMap, defineKind, ingress, Type } from '../../index.ts';
import { useEngine, usePlace } from './use-engine.ts';

const path = { path: '/', pathType: 'Prefix' as const };
const backend = { service: { name: 'shop', port: { number: 80 } } };
const page = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Page',
  plural: 'pages',
  spec: Type.Object({}),
  samples: [{ name: 'one', spec: {} }],
  owns: [configMap, ingress],
  children: ({ name }) => [
    child(configMap, { name, body: { data: { url: '/' } }, needs: [{ type: ingress, name }] }),
    child(ingress, {
      name,
      body: { spec: { rules: [{ http: { paths: [{ ...path, backend }] } }] } },
    }),
  ],
});

const engine = useEngine({ controllers: 'paused', install: [page] });
const place = usePlace(engine, [page]);

it('a child that needs an Ingress is created after it, and then is in order', async () => {
  await place.api.create(page, 'one', { spec: {} });
  expect((await place.resync()).outcomes).toMatchObject({ created: 2, skipped: 0 });
  await place.resync();
  expect((await place.resync()).resources).toMatchObject({ unchanged: 1 });
});
