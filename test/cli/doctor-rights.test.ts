import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rbacFor } from '../../infra/generate/rbac.ts';
import { kinds } from '../../shared/kinds/all.ts';
import type { Api } from '../scenarios/api.ts';
import {
  clusterRoleBindings,
  clusterRoles,
  type DoctorGround,
  openInstallation,
  visit,
} from './doctor-ground.ts';

let installation: Awaited<ReturnType<typeof openInstallation>>;
let ground: DoctorGround;
let cluster: Api;
beforeEach(async () => {
  installation = await openInstallation();
  ({ ground, cluster } = installation);
});
afterEach(() => installation.stop());

describe('rights', () => {
  const narrow = async (): Promise<void> => {
    const role = await cluster.get(clusterRoles, 'serverless-reconciler');
    const rules = (role.rules as { resources: string[]; verbs: string[] }[]).map((rule) => ({
      ...rule,
      verbs: rule.resources.includes('services')
        ? rule.verbs.filter((verb) => verb !== 'patch')
        : rule.verbs,
      resources: rule.resources.filter((resource) => resource !== 'foos/status'),
    }));
    await cluster.replace(clusterRoles, {
      ...role,
      rules: rules.filter(({ resources }) => resources.length > 0),
    } as never);
  };

  it('names each verb that is missing, and how it is given', async () => {
    await narrow();
    const { code, checks } = await visit(ground, {
      as: 'functions',
      env: { OWN_IDENTITY: 'functions' },
    });
    expect(code).toBe(1);
    const failed = checks.filter(({ state }) => state === 'fail');
    expect(failed).toEqual([
      {
        name: 'rights of functions',
        state: 'fail',
        message: 'missing: foos.example.com/status: patch; services: patch; secrets: patch',
        remedy: expect.stringMatching(/generate rbac --user functions \| kubectl .* apply -f -$/),
      },
    ]);
  });

  it('warns before a remedy that would take the binding from the functions', async () => {
    const { code, checks, failures } = await visit(ground, { as: 'jane' });
    expect(code).toBe(1);
    expect(failures.join('\n')).toMatch(/rights of jane: missing: all 53/);
    expect(checks.map(({ remedy }) => remedy).join('\n')).toMatch(
      /--user jane \| .* # if the functions are this user; if not: doctor --as USER/,
    );
  });

  it('are told for each namespace in NAMESPACES', async () => {
    await cluster.remove(clusterRoleBindings, 'serverless-reconciler');
    const grant = { user: 'functions', namespaces: ['default', 'kube-public'] };
    for (const manifest of rbacFor(kinds, grant)) await ground.apply(pathOf(manifest), manifest);
    const env = { NAMESPACES: 'default,kube-system,kube-public' };
    const { code, ok, failures } = await visit(ground, { as: 'functions', env });
    expect(code).toBe(1);
    expect(ok).toContain('rights of functions: all 53 that are needed in default, kube-public');
    expect(failures).toContainEqual(
      expect.stringMatching(/^rights of functions: missing in kube-system: all 53$/),
    );
    const everywhere = await visit(ground, { as: 'functions' });
    expect(everywhere.failures.join('\n')).toMatch(/rights of functions: missing: all 53/);
  });

  it("of another user: asked as that one; what doctor's own user lacks is no failure then", async () => {
    const url = await ground.front({ impersonates: true });
    const { code, ok, warnings, failures } = await visit(ground, {
      as: 'jane',
      url,
      argv: ['--as', 'functions'],
      env: { KINDS: 'Foo' },
    });
    expect(ok).toContain('rights of functions: all 11 that are needed');
    expect(warnings.join('\n')).toMatch(/rights of jane: missing/);
    expect(warnings.join('\n')).toMatch(
      /resources: not looked at, as this user may not list .*foos.example.com/,
    );
    expect({ code, failures }).toEqual({ code: 0, failures: [] });
    await narrow();
    const other = await visit(ground, { url, argv: ['--as', 'functions'] });
    expect(other.failures).toEqual([
      'rights of functions: missing: foos.example.com/status: patch; services: patch; secrets: patch',
    ]);
  });

  it('of another user, where the server has no impersonation: not told, and not well', async () => {
    const { code, failures } = await visit(ground, { argv: ['--as', 'functions'] });
    expect(code).toBe(1);
    expect(failures).toEqual([
      'user functions: not asked: this cluster has no impersonation; run doctor with a context of functions',
    ]);
  });

  it('of another user whom one may not impersonate: the refusal', async () => {
    const url = await ground.front({ impersonates: true });
    const { code, failures } = await visit(ground, { url, argv: ['--as', 'stranger'] });
    expect(code).toBe(1);
    expect(failures).toEqual([expect.stringMatching(/^user stranger: not asked: Unauthorized/)]);
  });
});

const pathOf = (manifest: object): string => {
  const { kind, metadata } = manifest as {
    readonly kind: string;
    readonly metadata: { readonly namespace: string; readonly name: string };
  };
  const place = `/apis/rbac.authorization.k8s.io/v1/namespaces/${metadata.namespace}`;
  return `${place}/${kind.toLowerCase()}s/${metadata.name}`;
};
