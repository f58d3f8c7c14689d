import { expect } from 'vitest';
import { deployment } from '../../../shared/kinds/child-types/apps.ts';
import { service } from '../../../shared/kinds/child-types/core.ts';
import { foo } from '../../../systems/foo.ts';
import { website } from '../../../systems/website.ts';
import type { Live } from '../api.ts';
import type { Place, Scenarios } from '../place.ts';
import { condition, newFoo, newSite } from '../resources.ts';

const legal = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Expects every resource to be Ready, and no two workloads to select the same pods. */
async function expectApart(place: Place, names: readonly string[]): Promise<readonly Live[]> {
  await place.converge();
  for (const type of [website, foo])
    for (const live of await place.api.list(type))
      expect([live.metadata.name, condition(live, 'Ready')?.status]).toEqual([
        live.metadata.name,
        'True',
      ]);
  const deployments = await place.api.list(deployment);
  expect(deployments).toHaveLength(names.length);
  const selectors = deployments.map(({ spec }) => JSON.stringify(spec?.selector));
  expect(new Set(selectors).size).toBe(names.length);
  const owners = deployments.map(({ metadata }) =>
    ['app.kubernetes.io/part-of', 'app.kubernetes.io/instance']
      .map((label) => metadata.labels?.[label])
      .join(' '),
  );
  expect(new Set(owners).size).toBe(names.length);
  return deployments;
}

/** C-12: names and labels from user input are legal and distinct. */
export const names: Scenarios = {
  async 'C-12 Websites with names that are illegal for a Service still get Services'(place) {
    const given = ['a.b', 'a-b', '1shop', 'shop', 'a.b.c', `${'x'.repeat(80)}.y`];
    for (const name of given) await newSite(place, name);
    await expectApart(place, given);
    const services = await place.api.list(service);
    expect(services).toHaveLength(given.length);
    for (const { metadata } of services) expect(metadata.name).toMatch(legal);
    const selectors = services.map(({ spec }) => JSON.stringify(spec?.selector));
    expect(new Set(selectors).size).toBe(given.length);
    const names = services.map(({ metadata }) => metadata.name);
    expect(names).toEqual(expect.arrayContaining(['a-b', 'shop']));
  },

  async 'C-12 long names with a common prefix stay distinct'(place) {
    const stem = 'a'.repeat(70);
    const given = [stem, `${stem}-1`, `${stem}-2`, stem.slice(0, 63), stem.slice(0, 62)];
    for (const name of given) await newSite(place, name);
    const deployments = await expectApart(place, given);
    for (const { metadata } of deployments) expect(metadata.name.length).toBeLessThan(64);
    await place.api.scale(deployment, deployments[0]?.metadata.name ?? '', 5);
    await place.converge();
    const replicas = (await place.api.list(deployment)).map(({ spec }) => spec?.replicas);
    expect(replicas).toEqual(given.map(() => 2));
  },

  async 'C-12 Foos with long names have legal labels and distinct pods'(place) {
    const given = [`${'b'.repeat(70)}.1`, `${'b'.repeat(70)}.2`, 'b.c', 'b-c'];
    for (const [at, name] of given.entries()) await newFoo(place, name, `d-${at}`);
    await expectApart(place, given);
    await place.resync();
    expect((await place.resync()).resources.reconciled).toBe(0);
  },

  async 'C-12 a Website and a Foo of the same name do not share children or pods'(place) {
    await newSite(place, 'same');
    await newFoo(place, 'same', 'same-foo');
    await expectApart(place, ['same', 'same-foo']);
  },
};
