import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { customResourceDefinition } from '../../infra/generate/crd.ts';
import { containerApp } from '../../systems/container-app.ts';
import { defaultSettings } from '../../systems/settings.ts';
import { website } from '../../systems/website.ts';
import type { Api } from '../scenarios/api.ts';
import {
  type Definition,
  type DoctorTestbed,
  definitions,
  forbidDefinitions,
  openInstallation,
  reinstall,
  visit,
} from './doctor-installation.ts';

let installation: Awaited<ReturnType<typeof openInstallation>>;
let ground: DoctorTestbed;
let api: Api;
let cluster: Api;
beforeEach(async () => {
  installation = await openInstallation();
  ({ ground, api, cluster } = installation);
});
afterEach(() => installation.stop());

describe('definitions', () => {
  it('a missing definition fails, and the other kinds are checked', async () => {
    await cluster.remove(definitions, 'foos.example.com');
    await api.create(website, 'shop', { spec: { imageTag: 'v1' } });
    const { code, ok, failures } = await visit(ground);
    expect(code).toBe(1);
    expect(failures).toEqual(['definition of Foo: foos.example.com is not installed']);
    expect(ok).toContain('resources: 1, 0 of them ready');
  });

  it('one that may not be read is a warning, and a missing one fails', async () => {
    await forbidDefinitions(cluster);
    await cluster.remove(definitions, 'foos.example.com');
    const { failures, warnings } = await visit(ground, { as: 'functions' });
    const words =
      'websites.kubecon.my.domain v1beta1 is served, but its definition could not be compared';
    expect(warnings).toContain(`definition of Website: ${words}: this user may not read it`);
    expect(failures.filter((one) => one.startsWith('definition'))).toEqual([
      'definition of Foo: foos.example.com v1alpha1 is not served, and its definition could not be read: this user may not read it',
    ]);
  });

  const changes = {
    'an old bound': {
      change: ({ versions }: Definition) => {
        versions[0]!.schema.openAPIV3Schema.properties.spec!.properties.nodePort!.maximum = 31000;
      },
      state: 'fail',
      want: /versions\[v1beta1\].schema.openAPIV3Schema.properties.spec.properties.nodePort.maximum is 31000, and should be 32767/,
    },
    'a missing field': {
      change: ({ versions }: Definition) => {
        delete versions[0]!.schema.openAPIV3Schema.properties.spec!.properties.nodePort;
      },
      state: 'fail',
      want: /properties.spec.properties.nodePort is missing/,
    },
    'no status': {
      change: ({ versions }: Definition) => {
        delete versions[0]!.subresources;
      },
      state: 'fail',
      want: /versions\[v1beta1\].subresources is missing/,
    },
    'another version': {
      change: ({ versions }: Definition) => {
        versions[0]!.name = 'v1alpha1';
      },
      state: 'fail',
      want: /versions\[v1beta1\] is missing/,
    },
    'another column': {
      change: ({ versions }: Definition) => {
        versions[0]!.additionalPrinterColumns.pop();
      },
      state: 'warn',
      want: /versions\[v1beta1\].additionalPrinterColumns\[5\] is missing/,
    },
    'an extra short name': {
      change: (spec: Definition) => {
        spec.names.shortNames = ['web'];
      },
      state: 'warn',
      want: /names.shortNames is \["web"\], and should be absent/,
    },
  } as const;

  it.each(Object.entries(changes))(
    'a definition that differs is reported: %s',
    async (_, { change, state, want }) => {
      await reinstall(cluster, website, change);
      const { code, checks } = await visit(ground);
      const [found, ...more] = checks.filter(
        ({ name, state: one }) => name.startsWith('definition') && one !== 'ok',
      );
      expect(more).toEqual([]);
      expect(found).toMatchObject({ name: 'definition of Website', state });
      expect(found?.message).toMatch(want);
      expect(found?.remedy).toMatch(/generate crds \| kubectl .* replace -f -$/);
      expect(code).toBe(state === 'fail' ? 1 : 0);
    },
  );

  it('of one whose rollout is paused, the warning says what replacing it removes', async () => {
    await reinstall(cluster, website, ({ names }) => {
      Object.assign(names, { shortNames: ['web'] });
    });
    await cluster.patch(definitions, 'websites.kubecon.my.domain', {
      metadata: { annotations: { 'serverless-reconciler/rollout': 'paused' } },
    });
    const { warnings } = await visit(ground);
    expect(warnings.join('\n')).toMatch(
      /absent; replacing it removes serverless-reconciler\/rollout/,
    );
  });

  it('a definition with names that another one holds is not established', async () => {
    await cluster.remove(definitions, 'foos.example.com');
    await cluster.remove(definitions, 'websites.kubecon.my.domain');
    const other = (kind: typeof website, plural: string) => {
      const definition = structuredClone(customResourceDefinition(kind)) as never as {
        spec: { names: Record<string, string>; group: string };
      };
      definition.spec.names = { ...definition.spec.names, plural, singular: plural };
      return cluster.create(definitions, `${plural}.${definition.spec.group}`, definition as never);
    };
    await other(website, 'pages');
    const definition = customResourceDefinition(website) as never as { spec: object };
    await cluster.create(definitions, 'websites.kubecon.my.domain', {
      spec: definition.spec as never,
    });
    const { failures } = await visit(ground, { env: { KINDS: 'Website' } });
    expect(failures).toEqual([
      expect.stringMatching(/^definition of Website: .* is not established: .*already in use/),
    ]);
  });
});

describe('namespaces and resources', () => {
  it('a namespace in NAMESPACES that does not exist fails', async () => {
    const { code, checks } = await visit(ground, { env: { NAMESPACES: 'default,gone' } });
    expect(code).toBe(1);
    expect(checks.filter(({ name }) => name === 'namespaces')).toEqual([
      { name: 'namespaces', state: 'ok', message: 'default: found' },
      {
        name: 'namespaces',
        state: 'fail',
        message: 'gone is in NAMESPACES but does not exist',
        remedy: expect.stringMatching(/^kubectl .* create namespace gone$/),
      },
    ]);
    const blind = await visit(ground, { as: 'functions', env: { NAMESPACES: 'default' } });
    expect(blind.warnings.join('\n')).toMatch(/namespaces: default: could not be checked/);
  });

  it('endpoints with scopes need AUTH_URL', async () => {
    const spec = { image: 'nginx', endpoints: [{ path: '/a', scopes: ['a'] }] };
    await api.create(containerApp(defaultSettings), 'guarded', { spec });
    const without = await visit(ground);
    expect(without.code).toBe(1);
    expect(without.checks.filter(({ name }) => name === 'settings')).toEqual([
      {
        name: 'settings',
        state: 'fail',
        message: 'AuthUrlMissing: AUTH_URL is not set, and 1 need it: ContainerApp default/guarded',
        remedy: 'AUTH_URL=…   # in the environment of both functions, and of this command',
      },
    ]);
    const env = { AUTH_URL: 'https://auth.example.com/check' };
    expect((await visit(ground, { env })).failures).toEqual([]);
    await ground.run(['resync', '--kubeconfig', await ground.kubeconfig()]);
    const stalled = await visit(ground);
    const complaints = [...stalled.failures, ...stalled.warnings];
    expect(complaints.filter((one) => one.includes('AuthUrl'))).toHaveLength(1);
    const onGoogle = await ground.front({
      version: { major: '1', minor: '36', gitVersion: 'v1.36.1-gke.7' },
    });
    const there = await visit(ground, { url: onGoogle });
    expect(there.checks.find(({ name }) => name === 'settings')?.remedy).toMatch(
      /^environment = .*# in terraform.tfvars; where reconciler.auto.tfvars.json holds .* "AUTH_URL": "…" there/,
    );
    await ground.run(['resync', '--kubeconfig', await ground.kubeconfig()], env);
    const here = await visit(ground);
    expect(here).toMatchObject({ code: 0, failures: [] });
    expect(here.warnings).toContain(
      'settings: AUTH_URL is not set here, but the functions seem to have it: ContainerApp default/guarded',
    );
  });

  it('a spec that an older definition accepted is reported', async () => {
    await reinstall(cluster, website, ({ versions }) => {
      delete versions[0]!.schema.openAPIV3Schema.properties.spec!.properties.nodePort!.maximum;
    });
    await api.create(website, 'old', { spec: { imageTag: 'v1', nodePort: 40_000 } });
    const { failures } = await visit(ground);
    expect(failures).toContainEqual(
      expect.stringMatching(
        /^resources: 1 would be refused now: Website default\/old: spec.nodePort must be <= 32767/,
      ),
    );
  });

  it('suspended and Stalled resources and the last write are reported', async () => {
    await api.create(website, 'resting', {
      metadata: { annotations: { 'serverless-reconciler/suspend': 'true' } },
      spec: { imageTag: 'v1', nodePort: 31_001 },
    });
    const spec = { imageTag: 'v1', nodePort: 31_002 };
    await api.create(website, 'first', { spec });
    const argv = ['--kubeconfig', await ground.kubeconfig()];
    await ground.run(['resync', ...argv]);
    await api.create(website, 'second', { spec });
    await ground.run(['resync', ...argv]);
    const { code, ok, warnings } = await visit(ground);
    expect(code).toBe(0);
    expect(ok).toContain('resources: 3, 0 of them ready');
    expect(warnings.filter((one) => one.startsWith('resources'))).toEqual([
      expect.stringMatching(
        /^resources: 1 Stalled: Website default\/second: NodePortTaken: .*first/,
      ),
      'resources: 1 suspended: Website default/resting',
    ]);
    expect(ok.join('\n')).toMatch(/last write: \ds ago, \S+Z: /);
    expect(ok.join('\n')).toMatch(
      /audit events: Website default\/\w+, edited \ds ago, was reconciled \d s later: consistent with an audit/,
    );
  });

  it('a status that another reconciler holds as well is reported, with both remedies', async () => {
    await api.create(website, 'shop', { spec: { imageTag: 'v1' } });
    const argv = ['--kubeconfig', await ground.kubeconfig()];
    await ground.run(['resync', ...argv]);
    const held = async () =>
      (await visit(ground)).checks.filter(({ message }) => message.includes('also held'));
    // A name that no reconciler can have is not repeated in a command.
    const status = { children: [] };
    await api.applyStatus(website, 'shop', { status }, "x'; rm -rf /");
    expect(await held()).toEqual([]);
    const condition = { type: 'Scanned', status: 'True', reason: 'Clean', message: '' };
    const conditions = [{ ...condition, lastTransitionTime: '2026-11-22T12:00:00Z' }];
    await api.applyStatus(website, 'shop', { status: { conditions } }, 'scanner');
    expect(await held()).toEqual([]);
    await api.applyStatus(website, 'shop', { status }, 'team-b');
    expect(await held()).toEqual([
      {
        state: 'warn',
        name: 'resources',
        message: 'the status of 1 is also held by team-b: Website default/shop: team-b',
        remedy: expect.stringContaining("formerNames: ['team-b']"),
      },
    ]);
    const identity = { name: 'serverless-reconciler', formerNames: ['team-b'] };
    await ground.run(['resync', ...argv], {}, identity);
    expect(await held()).toEqual([]);
  });

  it('an edit or a suspension counts as reconciled by the first write after it', async () => {
    const argv = ['--kubeconfig', await ground.kubeconfig()];
    const audit = async () => {
      const { checks } = await visit(ground);
      const found = checks.find(({ name }) => name === 'audit events');
      return `${found?.state} ${found?.message}`;
    };
    await api.create(website, 'shop', { spec: { imageTag: 'v1' } });
    expect(await audit()).toMatch(/^warn a resource was edited just now/);
    await ground.run(['resync', ...argv]);
    expect(await audit()).toMatch(/^ok Website default\/shop, edited \ds ago, was reconciled/);
    const annotations = { 'serverless-reconciler/suspend': 'true' };
    await api.patch(website, 'shop', { metadata: { annotations } });
    expect(await audit()).toMatch(/^warn a resource was edited just now/);
    await ground.run(['resync', ...argv]);
    expect(await audit()).toMatch(/^ok Website default\/shop, edited \ds ago, was reconciled/);
    await api.patch(website, 'shop', { spec: { imageTag: 'v2' } });
    expect(await audit()).toMatch(/^warn a resource was edited just now/);
  });
});
