import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runAlone } from './command-runner.ts';
import { allPermissions, definitions, useInstallation, visit } from './doctor-installation.ts';

const { ground, cluster } = useInstallation();

describe('a healthy installation', () => {
  it('has no failures if the administrator runs doctor', async () => {
    const { code, ok, failures, err } = await visit(ground, {
      url: await ground.front({ reviews: 'allowed' }),
      env: { OWN_IDENTITY: 'functions' },
    });
    expect({ code, failures, err }).toEqual({ code: 0, failures: [], err: '' });
    expect(ok).toContain('user: kubernetes-admin');
    expect(ok).toContain(
      `permissions of functions: all ${allPermissions} that are needed, by SubjectAccessReview`,
    );
    expect(ok).toContain('API server: reachable, v1.36.3');
    expect(ok).toContain('CRD of Foo: foos.example.com v1alpha1, established');
    expect(ok).toContain("clock: within 1 s of the server's clock");
  });

  it("has no failures if the functions' user runs doctor", async () => {
    const { code, ok, failures } = await visit(ground, {
      as: 'functions',
      env: { OWN_IDENTITY: 'functions' },
    });
    expect({ code, failures }).toEqual({ code: 0, failures: [] });
    expect(ok).toContain(`permissions of functions: all ${allPermissions} that are needed`);
    expect(ok).toContain('CRD of Foo: foos.example.com v1alpha1, established');
  });

  it('is not changed by doctor', async () => {
    ground.cluster.requests.reset();
    await visit(ground, { env: { NAMESPACES: 'default' } });
    const asked = ground.cluster.requests.list();
    const writes = asked.filter(
      ({ verb, resource }) => verb === 'patch' || (verb === 'create' && !/reviews$/.test(resource)),
    );
    expect(asked.length).toBeGreaterThan(50);
    expect(writes).toEqual([]);
  });

  it('is printed by -o text as a table with remedies, with colours only on a terminal', async () => {
    await cluster.remove(definitions, 'foos.example.com');
    const argv = ['doctor', '--kubeconfig', await ground.kubeconfig()];
    const plain = await ground.run(argv);
    expect(plain.code).toBe(1);
    expect(plain.out).toMatch(/^STATE +CHECK +FOUND\nok +API server +reachable/);
    expect(plain.out).toMatch(
      /\nfail +CRD of Foo +foos.example.com is not installed\n +→ KINDS=Foo npm run -s reconciler -- generate crds \| kubectl --kubeconfig \S+ --context local apply --server-side -f -\n/,
    );
    expect(plain.out).toMatch(/\n\d+ ok, 1 warning, 1 failed\.\n$/);
    expect(plain.out).not.toContain('\u001b[');
    const painted = await runAlone(argv, { home: ground.directory, isTTY: true });
    expect(painted.out).toContain('\u001b[31mfail');
    const steps = painted.err.split('\r\u001b[K');
    expect(steps).toContain('checking the CRDs …');
    expect(steps.at(-1), 'steps are erased at the end').toBe('');
  });
});

describe('the server', () => {
  it('an old version is a warning', async () => {
    const version = { major: '1', minor: '33+', gitVersion: 'v1.33.4-gke.1' };
    const { code, warnings } = await visit(ground, { url: await ground.front({ version }) });
    expect(code).toBe(0);
    expect(warnings).toContain(
      'API server: reachable, v1.33.4-gke.1: older than 1.34, the oldest supported version',
    );
  });

  it('clock skew is a warning', async () => {
    const { code, warnings } = await visit(ground, {
      url: await ground.front({ skewMs: -90_000 }),
    });
    expect(code).toBe(0);
    expect(warnings.join('\n')).toMatch(/clock: this machine is (89|90|91) s ahead of the server/);
  });

  it('an unreachable server is the only check reported', async () => {
    const { code, checks, failures } = await visit(ground, { url: 'http://127.0.0.1:1' });
    expect(checks[0]?.remedy).toMatch(/^kubectl .*--context local version {3}# .*address.*VPN/);
    expect(code).toBe(1);
    expect(checks).toHaveLength(1);
    expect(failures).toEqual([
      expect.stringMatching(
        /^API server: no response from the API server http:\/\/127.0.0.1:1: .*ECONNREFUSED/,
      ),
    ]);
  });

  it('failed authentication skips the check of permissions', async () => {
    const { code, failures } = await visit(ground, { as: 'nobody' });
    expect(code).toBe(1);
    expect(failures).toEqual([expect.stringMatching(/^user: not authenticated: Unauthorized/)]);
  });

  it('a broken connection fails the check that needed it', async () => {
    ground.cluster.faults.add({
      resource: 'customresourcedefinitions',
      effect: { kind: 'drop', when: 'before' },
    });
    const { code, failures, ok } = await visit(ground);
    expect(code).toBe(1);
    expect(failures).toEqual([
      expect.stringMatching(/^CRDs: no response from the API server http/),
    ]);
    expect(ok).toContain('user: kubernetes-admin');
  });
});

describe('usage', () => {
  it('CLUSTER_ENDPOINT outside Google Cloud is refused, with the option to use instead', async () => {
    const { code, out } = await ground.run(['doctor', '-o', 'json'], {
      CLUSTER_ENDPOINT: 'x.example.invalid',
    });
    expect(code).toBe(1);
    expect(out).toMatch(/"message": "the metadata server of Google Cloud does not respond"/);
    expect(out).toMatch(/"remedy": ".* --context NAME or .*; they override CLUSTER_ENDPOINT/);
    expect(out).not.toContain('CLUSTER_CONTEXT');
  });

  it('an unknown context or an empty user exits with 2', async () => {
    const kubeconfig = await ground.kubeconfig();
    const unknown = await ground.run(['doctor', '--kubeconfig', kubeconfig, '--context', 'nope']);
    expect(unknown).toMatchObject({ code: 2, out: '' });
    expect(unknown.err).toMatch(/no context "nope".*local/);
    const empty = await ground.run(['doctor', '--kubeconfig', kubeconfig, '--as', '']);
    expect(empty).toMatchObject({ code: 2, out: '' });
    expect(empty.err).toMatch(/--as: the user name is empty/);
  });

  it('unavailable credentials exit with 1', async () => {
    const file = join(ground.directory, 'exec');
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: '/nonexistent/plugin' };
    await writeFile(
      file,
      JSON.stringify({
        'current-context': 'one',
        clusters: [{ name: 'one', cluster: { server: 'https://127.0.0.1:1' } }],
        users: [{ name: 'one', user: { exec } }],
        contexts: [{ name: 'one', context: { cluster: 'one', user: 'one' } }],
      }),
    );
    const { code, err } = await ground.run(['doctor', '--kubeconfig', file]);
    expect(code).toBe(1);
    expect(err).toMatch(/^context "one" yields no credentials/);
  });

  it('--help shows examples', async () => {
    const { code, out } = await runAlone(['doctor', '--help'], { home: ground.directory });
    expect(code).toBe(0);
    expect(out).toMatch(/Examples:\n {2}npm run reconciler -- doctor\n/);
  });
});
