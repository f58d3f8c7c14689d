import { afterEach, describe, expect, it } from 'vitest';
import { type api, child, defineKind, ingress, Type } from '../../index.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { type EventRecord, eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { useEngine, usePlace } from './use-engine.ts';

const backend = { service: { name: 'shop', port: { number: 80 } } };
const ruleOf = (...paths: readonly string[]): api.IngressRule => ({
  http: { paths: paths.map((path) => ({ path, pathType: 'Prefix', backend })) },
});
const open: api.IngressSpec = { defaultBackend: backend, rules: [ruleOf('/', '/a/b')] };

/** The desired spec of the only Ingress. */
let desired = open;
const gate = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Gate',
  plural: 'gates',
  spec: Type.Object({}),
  samples: [{ name: 'one', spec: {} }],
  owns: [ingress],
  children: ({ name }) => [child(ingress, { name, body: { spec: desired } })],
});

const engine = useEngine({ controllers: 'paused', install: [gate] });
const place = usePlace(engine, [gate]);
afterEach(() => {
  desired = open;
});

async function start(spec: api.IngressSpec): Promise<void> {
  desired = spec;
  await place.api.create(gate, 'one', { spec: {} });
  expect((await place.resync()).failures).toEqual([]);
}
const live = () => place.api.get(ingress, 'one');

/** Requires that one run writes the Ingress as desired, and that the next run writes nothing. */
async function expectSettled(spec: api.IngressSpec): Promise<void> {
  const { uid } = (await live()).metadata;
  expect((await place.resync()).failures).toEqual([]);
  expect(JSON.stringify(await place.api.get(gate, 'one'))).not.toContain('ExposurePending');
  const settled = await live();
  expect(settled).toMatchObject({ spec, metadata: { uid } });
  expect((await place.resync()).resources).toMatchObject({ unchanged: 1 });
  expect(await live()).toEqual(settled);
}

const closed: Readonly<Record<string, api.IngressSpec>> = {
  'only a default backend': { defaultBackend: backend },
  'a host without paths': { rules: [{ host: 'shop.example.org' }] },
};

describe('an Ingress that loses all its paths', () => {
  it.each(Object.entries(closed))('is written in one run, and then has %s', async (_, spec) => {
    await start(open);
    desired = spec;
    await expectSettled(spec);
    expect((await live()).spec).toEqual(spec);
    desired = open;
    await expectSettled(open);
  });

  it('loses them even if another manager has applied the same rules', async () => {
    await start(open);
    const same = { spec: { rules: open.rules } } as JsonObject;
    await place.api.apply(ingress, 'one', same, 'other');
    desired = { defaultBackend: backend };
    await expectSettled(desired);
    expect((await live()).spec).toEqual(desired);
  });

  it('loses those that another manager has added, too', async () => {
    await start({ defaultBackend: backend });
    await place.api.patch(ingress, 'one', { spec: { rules: [ruleOf('/x')] } });
    await expectSettled({ defaultBackend: backend });
    expect(JSON.stringify((await live()).spec)).not.toContain('/x');
  });

  it('loses those at once, with one Event however often they are added again', async () => {
    await start({ defaultBackend: backend });
    for (const path of ['/x', '/y']) {
      await place.api.patch(ingress, 'one', { spec: { rules: [ruleOf(path)] } });
      await place.resync({ trigger: 'audit' });
      expect(JSON.stringify((await live()).spec)).not.toContain(path);
    }
    const events = (await place.api.list(eventType)) as readonly Partial<EventRecord>[];
    expect(events).toMatchObject([{ reason: 'Repaired' }]);
    expect(events[0]?.message).toMatch(
      /^Ingress one: spec.rules .*\/x.* → .*withdrawn.invalid.*, changed by kubectl-edit$/,
    );
  });
});
