import { describe, expect, it } from 'vitest';
import { rbacFor } from '../../infra/generate/rbac.ts';
import { groupResource } from '../../shared/kubernetes.ts';
import { definitionType } from '../../shared/rollout/pause.ts';
import { kinds } from '../support/config.ts';
import {
  allPermissions,
  clusterRoleBindings,
  clusterRoles,
  permissionsInNamespace,
  useInstallation,
  visit,
} from './doctor-installation.ts';

const { ground, cluster } = useInstallation();

describe('permissions', () => {
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

  it('are listed by missing verb, with the command that grants them', async () => {
    await narrow();
    const { code, checks } = await visit(ground, {
      as: 'functions',
      env: { OWN_IDENTITY: 'functions' },
    });
    expect(code).toBe(1);
    const failed = checks.filter(({ state }) => state === 'fail');
    expect(failed).toEqual([
      {
        name: 'permissions of functions',
        state: 'fail',
        message: 'missing: foos.example.com/status: patch; services: patch; secrets: patch',
        remedy: expect.stringMatching(/generate rbac --user functions \| kubectl .* apply -f -$/),
      },
    ]);
  });

  it('have a warning if the remedy would remove the binding of the functions', async () => {
    const { code, checks, failures } = await visit(ground, { as: 'jane' });
    expect(code).toBe(1);
    expect(failures.join('\n')).toContain(`permissions of jane: missing: all ${allPermissions}`);
    expect(checks.map(({ remedy }) => remedy).join('\n')).toMatch(
      /--user jane \| .* # if the functions run as this user; otherwise: doctor --as USER/,
    );
  });

  it('are reported for each namespace in NAMESPACES', async () => {
    await cluster.remove(clusterRoleBindings, 'serverless-reconciler');
    const grant = {
      name: 'serverless-reconciler',
      user: 'functions',
      namespaces: ['default', 'kube-public'],
    };
    for (const manifest of rbacFor(kinds, grant)) await ground.apply(pathOf(manifest), manifest);
    const env = {
      NAMESPACES: 'default,kube-system,kube-public',
      OWN_IDENTITY: 'functions',
    };
    const { code, ok, failures } = await visit(ground, { as: 'functions', env });
    expect(code).toBe(1);
    expect(ok).toContain(
      `permissions of functions: all ${permissionsInNamespace} that are needed in default, kube-public`,
    );
    expect(failures).toContain(
      `permissions of functions: missing in kube-system: all ${permissionsInNamespace}`,
    );
    const everywhere = await visit(ground, { as: 'functions' });
    expect(everywhere.failures.join('\n')).toContain(
      'permissions of functions: missing: websites.kubecon.my.domain: get, list',
    );
  });

  it('on CRDs are not reported as missing in a namespace', async () => {
    const role = await cluster.get(clusterRoles, 'serverless-reconciler');
    const rules = (role.rules as { resourceNames?: string[] }[]).map((rule) =>
      rule.resourceNames === undefined ? rule : { ...rule, resourceNames: ['foos.example.com'] },
    );
    await cluster.replace(clusterRoles, { ...role, rules } as never);
    const env = { OWN_IDENTITY: 'functions' };
    const { failures } = await visit(ground, { as: 'functions', env });
    const others = kinds.map(groupResource).filter((name) => name !== 'foos.example.com');
    const missing = others.map((name) => `${groupResource(definitionType)} ${name}: get`);
    expect(failures).toEqual([`permissions of functions: missing: ${missing.join('; ')}`]);
    const inOne = await visit(ground, { as: 'functions', env: { ...env, NAMESPACES: 'default' } });
    expect(inOne.failures).toEqual(failures);
  });

  it('of a user who is perhaps not that of the functions are a warning', async () => {
    const { code, checks } = await visit(ground);
    expect(code).toBe(0);
    expect(checks.filter(({ name }) => name.startsWith('permissions'))).toEqual([
      {
        name: 'permissions of kubernetes-admin',
        state: 'warn',
        message: `all ${allPermissions} that are needed; it is unknown whether the functions run as this user, because OWN_IDENTITY is not set`,
        remedy: expect.stringMatching(/ doctor --as USER /),
      },
    ]);
  });

  describe('of the functions, checked by an administrator', () => {
    const env = { OWN_IDENTITY: 'functions' };
    const rightsOf = async (how: object) => {
      const { code, checks } = await visit(ground, how);
      const lines = checks.filter(({ name }) => /^(permissions|user .)/.test(name));
      return {
        code,
        lines: lines.map(({ state, name, message }) => `${state} ${name}: ${message}`),
      };
    };

    it('by SubjectAccessReview, if that is allowed', async () => {
      const url = await ground.front({ reviews: 'allowed' });
      expect(await rightsOf({ env, url })).toEqual({
        code: 0,
        lines: [
          `ok permissions of functions: all ${allPermissions} that are needed, by SubjectAccessReview`,
        ],
      });
      await narrow();
      expect(await rightsOf({ env, url })).toEqual({
        code: 1,
        lines: [
          'fail permissions of functions: missing: foos.example.com/status: patch; services: patch; secrets: patch',
        ],
      });
    });

    it('otherwise by impersonation', async () => {
      const url = await ground.front({ reviews: 'forbidden', impersonates: true });
      expect(await rightsOf({ env, url })).toEqual({
        code: 0,
        lines: [
          'ok user functions: may be impersonated',
          `ok permissions of functions: all ${allPermissions} that are needed, by impersonation`,
        ],
      });
    });

    it('otherwise not at all, which is a warning and not a failure', async () => {
      const { code, checks } = await visit(ground, { env });
      expect(code).toBe(0);
      expect(checks.filter(({ name }) => /^(permissions|user .)/.test(name))).toEqual([
        {
          name: 'user functions',
          state: 'warn',
          message:
            'permissions not checked: this cluster has neither SubjectAccessReview nor impersonation',
          remedy: expect.stringMatching(
            /^OWN_IDENTITY=functions npm run reconciler -- doctor --kubeconfig \S+ --context NAME {3}# a context of the functions' own user$/,
          ),
        },
      ]);
    });

    it('for each user, if there are several', async () => {
      const url = await ground.front({ reviews: 'allowed' });
      const several = { OWN_IDENTITY: 'functions,jane', KINDS: 'Foo' };
      const { code, lines } = await rightsOf({ env: several, url });
      expect(code).toBe(1);
      expect(lines).toEqual([
        'ok permissions of functions: all 11 that are needed, by SubjectAccessReview',
        'fail permissions of jane: missing: all 11',
      ]);
    });
  });

  it("of another user are checked by impersonation, and those of doctor's own user are not", async () => {
    const url = await ground.front({ impersonates: true });
    const { code, ok, warnings, failures } = await visit(ground, {
      as: 'jane',
      url,
      argv: ['--as', 'functions'],
      env: { KINDS: 'Foo' },
    });
    expect(ok).toContain('permissions of functions: all 11 that are needed, by impersonation');
    expect([...ok, ...warnings].join('\n')).not.toContain('permissions of jane');
    expect(warnings.join('\n')).toMatch(
      /foos.example.com v1alpha1 is served, but its CRD could not be read: this user may not/,
    );
    expect({ code, failures }).toEqual({ code: 0, failures: [] });
    await narrow();
    const other = await visit(ground, { url, argv: ['--as', 'functions'] });
    expect(other.failures).toEqual([
      'permissions of functions: missing: foos.example.com/status: patch; services: patch; secrets: patch',
    ]);
  });

  it('of the --as user are a failure if they cannot be determined', async () => {
    const { code, failures } = await visit(ground, { argv: ['--as', 'functions'] });
    expect(code).toBe(1);
    expect(failures).toEqual([
      'user functions: permissions not checked: this cluster has neither SubjectAccessReview nor impersonation',
    ]);
  });

  it('of a user who may not be impersonated are reported with the error of the server', async () => {
    const url = await ground.front({ impersonates: true });
    const { code, failures } = await visit(ground, { url, argv: ['--as', 'stranger'] });
    expect(code).toBe(1);
    expect(failures).toEqual([
      expect.stringMatching(/^user stranger: permissions not checked: Unauthorized/),
    ]);
  });
});

const pathOf = (manifest: object): string => {
  const { kind, metadata } = manifest as {
    readonly kind: string;
    readonly metadata: { readonly namespace?: string; readonly name: string };
  };
  const { namespace } = metadata;
  const place = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return `/apis/rbac.authorization.k8s.io/v1${place}/${kind.toLowerCase()}s/${metadata.name}`;
};
