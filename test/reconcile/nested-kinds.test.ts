import { beforeEach, describe, expect, test } from 'vitest';
import { child, configMap, defineKind, job, nameAtMost, Type } from '../../index.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { finalizer, podOf } from '../support/finalizing-kind.ts';
import { isWriteRequest, type Place } from './engine.ts';
import { useEngine } from './use-engine.ts';

const definition = (kind: string) => ({
  group: 'example.org',
  version: 'v1',
  kind,
  plural: `${kind.toLowerCase()}s`,
  rules: [nameAtMost(30)],
  samples: [{ name: 'one', spec: { size: 1 } }],
});

/** A kind with a clean-up. */
const boatOf = (kind: string, isRequired: boolean): Kind =>
  defineKind({
    ...definition(kind),
    spec: Type.Object({ size: isRequired ? Type.Integer() : Type.Optional(Type.Integer()) }),
    owns: [configMap, job],
    children: ({ name, spec: { size } }) => [
      child(configMap, { name, body: { data: { size: String(size) } } }),
    ],
    finalize: ({ name }) => [
      child(job, { name: `${name}-scrap`, body: { spec: { template: { spec: podOf('a') } } } }),
    ],
  });

const fleetOf = (boat: Kind): Kind =>
  defineKind({
    ...definition(`${boat.kind}Fleet`),
    spec: Type.Object({ size: Type.Integer() }),
    owns: [boat],
    children: ({ name, spec: { size } }) => [
      child(boat, { name: `${name}-boat`, labels: { of: 'fleet' }, body: { spec: { size } } }),
    ],
  });

const required = boatOf('Boat', true);
const optional = boatOf('Raft', false);
const [fleet, rafts] = [fleetOf(required), fleetOf(optional)];
const engine = useEngine({ controllers: 'paused', install: [required, optional, fleet, rafts] });

const name = 'north-boat';

describe.each([
  ['a required field', fleet, required],
  ['only optional fields', rafts, optional],
] as const)('a resource of a kind with a clean-up and %s', (_, outer, inner) => {
  let place: Place;
  beforeEach(async () => {
    place = await engine.place([outer, inner]);
    await place.api.create(outer, 'north', { spec: { size: 1 } });
    await settle();
  });
  /** Runs until a run writes nothing. */
  async function settle(): Promise<void> {
    for (let [runs, isQuiet] = [0, false]; !isQuiet; runs++) {
      engine.cluster.controllers.resume();
      await engine.cluster.controllers.settled();
      engine.cluster.controllers.pause();
      const before = place.requests().length;
      await place.resync();
      isQuiet = !place.requests().slice(before).some(isWriteRequest);
      expect(runs).toBeLessThan(8);
    }
  }
  const boat = () => place.api.find(inner, name);
  const sizeMade = async () => (await place.api.find(configMap, name))?.data;
  async function expectWhole(size: number): Promise<void> {
    const { metadata, spec, status } = await place.api.get(inner, name);
    expect(spec).toEqual({ size });
    expect(metadata.finalizers).toEqual([finalizer]);
    expect(metadata.labels).toMatchObject({ of: 'fleet' });
    expect(metadata.ownerReferences).toMatchObject([{ kind: outer.kind, name: 'north' }]);
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'True' }),
    );
    expect(await sizeMade()).toEqual({ size: String(size) });
  }

  test('keeps as a child what its owner applied', async () => {
    await expectWhole(1);
  });

  test('follows its owner', async () => {
    await place.api.patch(outer, 'north', { spec: { size: 2 } });
    await settle();
    await expectWhole(2);
  });

  test('is cleaned up and made again if it is deleted', async () => {
    const { uid } = (await place.api.get(inner, name)).metadata;
    await place.api.remove(inner, name);
    await place.resync();
    expect(await place.api.find(job, `${name}-scrap`)).toBeDefined();
    await settle();
    expect((await boat())?.metadata.uid).not.toBe(uid);
    await expectWhole(1);
  });

  test.each(['Background', 'Foreground'] as const)(
    'is cleaned up and gone after a deletion of its owner: %s',
    async (policy) => {
      await place.api.remove(outer, 'north', policy);
      await settle();
      expect([await boat(), await place.api.find(outer, 'north')]).toEqual([undefined, undefined]);
      expect(await sizeMade()).toBeUndefined();
    },
  );
});
