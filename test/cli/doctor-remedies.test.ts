import { describe, expect, it } from 'vitest';
import { remediesFor } from '../../infra/cli/doctor/remedies.ts';
import type { Environment } from '../../shared/environment.ts';
import { casesOf } from '../support/cases.ts';

const context = { name: 'prod', files: ['config'], namespace: 'default', settings: {} };
const localKubeconfig = '/project/.local/kubeconfig';

interface Given {
  readonly options?: Parameters<typeof remediesFor>[1];
  readonly env?: Environment;
  readonly context?: typeof context & { settings: Readonly<Record<string, string>> };
}

const remedies = ({ options = {}, env = {}, context: chosen = context }: Given) =>
  remediesFor({ context: chosen, server: 'https://10.0.0.1', settings: ['AUTH_URL'] }, options, {
    env,
    localKubeconfig,
  });

interface Case {
  readonly reason: string;
  readonly given: Given;
  readonly doctor: string;
  readonly kubectl: string;
}

const cases: Record<string, Case> = {
  Plain: {
    reason: 'the current context is named explicitly if no option is given',
    given: {},
    doctor: 'npm run reconciler -- doctor --context prod',
    kubectl: 'kubectl --context prod version',
  },
  Flags: {
    reason: 'the next doctor run checks the same user',
    given: { options: { as: "o'neill", kubeconfig: 'my config' } },
    doctor:
      "npm run reconciler -- doctor --as 'o'\\''neill' --kubeconfig 'my config' --context prod",
    kubectl: "kubectl --kubeconfig 'my config' --context prod version",
  },
  Config: {
    reason: 'another configuration has other permissions, perhaps for another user',
    given: { options: { config: 'b.config.ts' } },
    doctor: 'npm run reconciler -- doctor --config b.config.ts --context prod',
    kubectl: 'kubectl --context prod version',
  },
  Variables: {
    reason: 'variables are repeated, because they may be set for this command only',
    given: { env: { NAMESPACES: 'team-a, team-b', KINDS: 'Foo', HOME: '/root', OWN_IDENTITY: '' } },
    doctor: "KINDS=Foo NAMESPACES='team-a, team-b' npm run reconciler -- doctor --context prod",
    kubectl: 'kubectl --context prod version',
  },
  SettingsOfKinds: {
    reason: 'only settings that the configuration uses are repeated',
    given: { env: { AUTH_URL: 'https://auth', INGRESS_CLASS: 'nginx' } },
    doctor: 'AUTH_URL=https://auth npm run reconciler -- doctor --context prod',
    kubectl: 'kubectl --context prod version',
  },
  Kubeconfig: {
    reason: 'both commands receive the kubeconfig of the context',
    given: { env: { KUBECONFIG: 'a:b' } },
    doctor: 'KUBECONFIG=a:b npm run reconciler -- doctor --context prod',
    kubectl: 'KUBECONFIG=a:b kubectl --context prod version',
  },
  KubeconfigAgainstTheFlag: {
    reason: 'the flag takes precedence',
    given: { env: { KUBECONFIG: 'a:b' }, options: { kubeconfig: 'c' } },
    doctor: 'npm run reconciler -- doctor --kubeconfig c --context prod',
    kubectl: 'kubectl --kubeconfig c --context prod version',
  },
  FromTheContext: {
    reason: "only overrides of the context's settings are repeated",
    given: {
      context: { ...context, settings: { KINDS: 'Foo', NAMESPACES: 'team-a' } },
      env: { NAMESPACES: '' },
    },
    doctor: "NAMESPACES='' npm run reconciler -- doctor --context prod",
    kubectl: 'kubectl --context prod version',
  },
  Local: {
    reason: 'kubectl receives the kubeconfig of npm start, which it does not read by default',
    given: { context: { ...context, name: 'local', files: [localKubeconfig] } },
    doctor: `npm run reconciler -- doctor --kubeconfig ${localKubeconfig} --context local`,
    kubectl: `kubectl --kubeconfig ${localKubeconfig} --context local version`,
  },
};

describe('remediesFor', () => {
  it.each(casesOf(cases))('%s', (_, { given, doctor, kubectl }) => {
    const made = remedies(given);
    expect(made.doctor()).toBe(doctor);
    expect(made.kubectl('version')).toBe(kubectl);
  });

  it('repeats an endpoint from the environment', () => {
    const env = { CLUSTER_ENDPOINT: 'x.gke.goog', KUBECONFIG: 'a' };
    const made = remediesFor(
      { context: undefined, server: 'https://x.gke.goog', settings: [] },
      {},
      { env, localKubeconfig },
    );
    expect(made.doctor()).toBe('CLUSTER_ENDPOINT=x.gke.goog npm run reconciler -- doctor');
  });

  it('checks another user if one is given', () => {
    const made = remedies({ options: { as: 'jane' } });
    expect(made.doctor('USER')).toBe('npm run reconciler -- doctor --as USER --context prod');
  });

  it("uses the functions' own context for asFunctions instead of --as", () => {
    const { asFunctions } = remedies({ options: { as: 'jane' } });
    expect(asFunctions).toMatch(/^npm run reconciler -- doctor --context NAME {3}#/);
  });

  it('generates manifests for the same kinds', () => {
    const { generated } = remedies({ env: { KINDS: 'Foo', AUTH_URL: 'https://auth' } });
    expect(generated('crds', 'apply -f -')).toBe(
      'KINDS=Foo npm run -s reconciler -- generate crds | kubectl --context prod apply -f -',
    );
  });

  it('generates manifests from the same configuration', () => {
    const { generated } = remedies({ options: { config: 'b.config.ts' } });
    expect(generated('rbac', 'apply -f -')).toBe(
      'npm run -s reconciler -- generate rbac --config b.config.ts | kubectl --context prod apply -f -',
    );
  });

  it('generates the CRD of one kind only', () => {
    const { generated } = remedies({ env: { KINDS: 'Foo,Box' } });
    expect(generated('crds', 'apply -f -', 'Box')).toBe(
      'KINDS=Box npm run -s reconciler -- generate crds | kubectl --context prod apply -f -',
    );
  });
});
