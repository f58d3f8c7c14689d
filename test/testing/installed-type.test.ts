import { describe, expect, it } from 'vitest';
import { createTestEnvironment, expectConverged } from '../../testing/index.ts';
import { driver, installer } from '../support/installer.ts';

describe('a kind that installs the type of a child', () => {
  it('obeys the laws', { timeout: 60_000 }, async () => {
    const { children } = await expectConverged(installer);
    expect(children).toEqual([
      'CustomResourceDefinition drivers.drivers.example.org',
      'Driver drivers',
    ]);
  });

  it('waits for the CustomResourceDefinition without a Warning', async () => {
    await using env = await createTestEnvironment({ kinds: [installer] });
    await env.apply(installer, { name: 'drivers', spec: { endpoint: 'one' } });
    expect(await env.list(driver)).toEqual([]);
    await env.resync();
    expect(await env.conditions(installer, 'drivers')).toMatchObject({
      Ready: { status: 'False', reason: 'DependencyPending' },
      Reconciling: {
        message: 'Driver drivers waits for CustomResourceDefinition drivers.drivers.example.org',
      },
    });
    expect(await env.events(installer, 'drivers')).toEqual([]);
    await env.resync();
    expect(await env.children(installer, 'drivers')).toHaveLength(2);
    expect(await env.conditions(installer, 'drivers')).toMatchObject({ Ready: { status: 'True' } });
  });

  it('keeps a CustomResourceDefinition that the kind no longer wants', async () => {
    await using env = await createTestEnvironment({ kinds: [installer] });
    await env.apply(installer, { name: 'drivers', spec: { endpoint: 'one' } });
    await env.resync();
    await env.resync();
    const { group, version, kind } = driver;
    const users = {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { name: 'users' },
      spec: {},
    };
    await env.apply(users);
    await env.patch(installer, 'drivers', { body: { spec: { isInstalled: false } } });
    await env.resync();
    expect((await env.list(driver)).map(({ metadata }) => metadata.name)).toEqual(['users']);
    expect((await env.conditions(installer, 'drivers')).Stalled).toMatchObject({
      reason: 'Retained',
      message: expect.stringContaining('its deletion would delete other objects, too'),
    });
  });
});
