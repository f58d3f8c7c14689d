import { describe, expect, it } from 'vitest';
import {
  DeadlineError,
  KubeError,
  OversizedError,
  UnreachableError,
} from '../../shared/cluster/cluster-errors.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { secret, service } from '../../shared/kinds/child-types/core.ts';
import { roleBinding } from '../../shared/kinds/child-types/small-groups.ts';
import type { JsonObject, StatusCause } from '../../shared/kubernetes.ts';
import { explain } from '../../shared/run/explain.ts';
import { nodePortsOf } from '../../shared/run/node-ports.ts';
import type { Run } from '../../shared/run/run.ts';
import { casesOf } from '../support/cases.ts';
import { clusterOf, serviceOf } from './services.ts';

const refused = (code: number, reason: string, message: string, field?: string): KubeError =>
  new KubeError('apply Secret default/x', {
    code,
    status: { reason, message, details: { causes: field === undefined ? [] : [{ field }] } },
  });

const noRun = {} as Run;

const cases: Record<string, { reason: string; given: Error; want: string }> = {
  Untypable: {
    reason: 'conceals values that kube-apiserver quotes',
    given: refused(500, 'InternalError', '.data.password: expected string, got Value:hunter2'),
    want: "Secret was refused: InternalError; the server's message is withheld because it may contain the Secret's data",
  },
  Invalid: {
    reason: 'names the field, and conceals its value',
    given: refused(422, 'Invalid', 'Invalid value: "hunter2"', 'data[password]'),
    want: "Secret was refused: Invalid at data[password]; the server's message is withheld because it may contain the Secret's data",
  },
  Forbidden: {
    reason: 'conceals a 403, which may be of an admission webhook that quotes the object',
    given: refused(403, 'Forbidden', 'denied the request: password "hunter2" is too short'),
    want: "Secret was refused: Forbidden; the server's message is withheld because it may contain the Secret's data; `reconciler doctor` lists missing permissions: if none is missing, a quota or an admission policy refused it",
  },
  Fields: {
    reason: 'names each field',
    given: new KubeError('apply Secret default/x', {
      code: 422,
      status: {
        reason: 'Invalid',
        message: 'Invalid value: "hunter2"',
        details: { causes: [{ field: 'data[a]' }, { reason: 'x' }, { field: 'data[b]' }] },
      },
    }),
    want: "Secret was refused: Invalid at data[a], data[b]; the server's message is withheld because it may contain the Secret's data",
  },
  Unauthorized: {
    reason: 'conceals a 401, which a webhook may choose',
    given: refused(401, 'HTTP 401', 'admission webhook "w" denied the request: hunter2'),
    want: "Secret was refused: HTTP 401; the server's message is withheld because it may contain the Secret's data",
  },
  TooManyRequests: {
    reason: 'conceals a 429, which a webhook may choose',
    given: refused(429, 'TooManyRequests', 'admission webhook "w" denied the request: hunter2'),
    want: "Secret was refused: TooManyRequests; the server's message is withheld because it may contain the Secret's data",
  },
  ServiceUnavailable: {
    reason: 'conceals a 503, which a webhook may choose',
    given: refused(503, 'HTTP 503', 'admission webhook "w" denied the request: hunter2'),
    want: "Secret was refused: HTTP 503; the server's message is withheld because it may contain the Secret's data",
  },
  Unreachable: {
    reason: 'keeps the message if there was no response',
    given: new UnreachableError('connection lost'),
    want: 'connection lost',
  },
};

describe('a refusal of a Secret', () => {
  it.each(casesOf(cases))('D-3 %s', async (_, { given, want }) => {
    expect((await explain(noRun, secret, given)).message).toBe(want);
  });

  it('names the Secret, because a resource may have several', async () => {
    const child = { apiVersion: 'v1', kind: 'Secret', name: 'shop-tls' };
    const sent = { child, namespace: 'team', fields: {} };
    const { message } = await explain(noRun, secret, refused(422, 'Invalid', 'no'), sent);
    expect(message).toMatch(/^Secret shop-tls was refused: Invalid; /);
  });

  it("keeps the server's message for other kinds", async () => {
    const error = refused(422, 'Invalid', 'spec.replicas: Invalid value: -1');
    expect((await explain(noRun, deployment, error)).message).toContain('Invalid value: -1');
  });
});

describe('a refused grant', () => {
  it('is cut off, because it lists all rules, and ends with the remedy', async () => {
    const rules = '{APIGroups:["apps"], Resources:["deployments"], Verbs:["get"]}\n'.repeat(60);
    const text = `rolebindings.rbac.authorization.k8s.io "x" is forbidden: user "u" (groups=["a"]) is attempting to grant RBAC permissions not currently held:\n${rules}`;
    const error = new KubeError('apply RoleBinding default/x', {
      code: 403,
      status: { reason: 'Forbidden', message: text },
    });
    const { reason, message } = await explain(noRun, roleBinding, error);
    expect(reason).toBe('Forbidden');
    expect(message).toContain('"x" is forbidden: user "u" (groups=["a"]) is attempting to grant');
    expect(message.length).toBeLessThan(520);
    expect(message).toMatch(
      /…: if a permission is missing, add a sample whose child needs it and apply what `reconciler generate rbac` prints$/,
    );
  });

  it('looks like an exceeded quota of bindings, so the remedy names its condition', async () => {
    const message =
      'rolebindings.rbac.authorization.k8s.io "x" is forbidden: exceeded quota: tight, requested: count/rolebindings.rbac.authorization.k8s.io=1';
    const error = new KubeError('apply RoleBinding default/x', {
      code: 403,
      status: { reason: 'Forbidden', message },
    });
    const explained = await explain(noRun, roleBinding, error);
    expect(explained.message).toContain(`${message}: if a permission is missing, `);
  });
});

const about = (
  code: number,
  reason: string,
  details: { readonly kind?: string; readonly causes?: readonly StatusCause[] },
): KubeError =>
  new KubeError('apply Deployment default/x', { code, status: { reason, message: 'no', details } });
const terminating = { causes: [{ reason: 'NamespaceTerminating' }] };

const failures: Record<string, { reason: string; given: unknown; want: object }> = {
  NoNamespace: {
    reason: 'a missing namespace is transient, because it may be created later',
    given: about(404, 'NotFound', { kind: 'namespaces' }),
    want: {
      reason: 'NamespaceNotFound',
      message: 'cannot apply Deployment default/x: NotFound: no',
      transient: true,
    },
  },
  NoKind: {
    reason: 'another missing object is permanent',
    given: about(404, 'NotFound', { kind: 'deployments' }),
    want: { reason: 'NotFound', transient: false },
  },
  NamespaceRefused: {
    reason: 'a 403 about a namespace is permanent',
    given: about(403, 'Forbidden', { kind: 'namespaces' }),
    want: { reason: 'Forbidden', transient: false },
  },
  NamespaceLeaves: {
    reason: 'a namespace that is being deleted is transient',
    given: about(403, 'Forbidden', terminating),
    want: {
      reason: 'NamespaceTerminating',
      message: 'cannot apply Deployment default/x: Forbidden: no',
      transient: true,
    },
  },
  OtherCause: {
    reason: 'an exceeded quota or a missing permission is permanent',
    given: about(403, 'Forbidden', { causes: [{ reason: 'Quota' }] }),
    want: { reason: 'Forbidden', transient: false },
  },
  Unauthorized: {
    reason: 'a refused token is transient, because the next one may be valid',
    given: about(401, 'Unauthorized', {}),
    want: { reason: 'Unauthorized', transient: true },
  },
  RefusedByWebhook: {
    reason: 'a 401 of an admission webhook is permanent',
    given: about(401, 'HTTP 401', {}),
    want: { reason: 'HTTP401', transient: false },
  },
  NotForbidden: {
    reason: 'a terminating namespace counts only in a 403',
    given: about(409, 'Conflict', terminating),
    want: { reason: 'Conflict', transient: false },
  },
  WithoutReason: {
    reason: 'the reason of a condition is one word',
    given: new KubeError('apply Deployment default/x', { code: 502, status: {} }),
    want: { reason: 'HTTP502', transient: true },
  },
  Unreachable: {
    reason: 'a lost connection is transient',
    given: new UnreachableError('connection lost'),
    want: { reason: 'Unreachable', message: 'connection lost', transient: true },
  },
  Oversized: {
    reason: 'an unreadable object is permanent',
    given: new OversizedError('too large'),
    want: { reason: 'UnreadableObject', message: 'too large', transient: false },
  },
  Interrupted: {
    reason: 'a request that the deadline prevented is transient',
    given: new DeadlineError('not sent'),
    want: { reason: 'NotFinished', message: 'not sent', transient: true },
  },
};

describe('a failure', () => {
  it.each(casesOf(failures))('C-11 %s', async (_, { given, want }) => {
    expect(await explain(noRun, deployment, given)).toMatchObject(want);
  });
});

const invalid = (...causes: readonly StatusCause[]): KubeError =>
  new KubeError('apply Service default/x', {
    code: 422,
    status: { reason: 'Invalid', message: 'Service "x" is invalid', details: { causes } },
  });
const aboutPort = (at: number) => ({ field: `spec.ports[${at}].nodePort` });
const otherRefusal = { reason: 'Invalid', transient: false };
const remedy = 'choose another one, or free it there';
const taken = {
  reason: 'NodePortTaken',
  message: `node port 31998 is held by Service team/theirs: ${remedy}`,
  transient: false,
};
/** An apply of a Service with these fields. */
const sent = (spec: JsonObject, namespace = 'default') => ({
  child: { apiVersion: 'v1', kind: 'Service', name: 'x' },
  namespace,
  fields: { spec },
});
const wants = (...nodePorts: readonly number[]) =>
  sent({ ports: nodePorts.map((nodePort) => ({ port: 80, nodePort })) });

const portRefusals: Record<
  string,
  { reason: string; given: KubeError; of: ReturnType<typeof sent>; want: object }
> = {
  NodePort: {
    reason: 'a 422 for a Service with a node port that another Service has is NodePortTaken',
    given: invalid(aboutPort(0)),
    of: wants(31_998),
    want: taken,
  },
  LaterNodePort: {
    reason: 'the port may be any of those that are sent, and the cause one of several',
    given: invalid({ field: 'spec.type' }, {}, aboutPort(12)),
    of: wants(31_000, 31_998),
    want: taken,
  },
  HealthCheckNodePort: {
    reason: 'a 500 names no field, so the ports that are sent are looked up',
    given: refused(500, 'InternalError', 'Internal error occurred'),
    of: sent({ healthCheckNodePort: 31_998 }),
    want: taken,
  },
  OwnPort: {
    reason: 'the Service itself has the port',
    given: invalid(aboutPort(0)),
    of: sent({ ports: [{ nodePort: 31_996 }] }, 'team'),
    want: otherRefusal,
  },
  SameName: {
    reason: 'a Service of the same name in another namespace is another Service',
    given: invalid(aboutPort(0)),
    of: wants(31_996),
    want: {
      reason: 'NodePortTaken',
      message: `node port 31996 is held by Service team/x: ${remedy}`,
    },
  },
  Free: {
    reason: 'a port outside the range, or freed meanwhile, has no holder',
    given: invalid(aboutPort(0)),
    of: wants(80),
    want: otherRefusal,
  },
  OtherField: {
    reason: 'another Service may have the node port for another protocol, which is no obstacle',
    given: invalid({ field: 'spec.ports[0].name' }),
    of: wants(31_998),
    want: otherRefusal,
  },
  OtherReason: {
    reason: 'a status other than 422 or 500 is not about a node port',
    given: new KubeError('apply Service default/x', {
      code: 403,
      status: { reason: 'Forbidden', details: { causes: [aboutPort(0)] } },
    }),
    of: wants(31_998),
    want: { reason: 'Forbidden', transient: false },
  },
  OtherFailure: {
    reason: 'a 500 is transient if no other Service has a port that is sent',
    given: refused(500, 'InternalError', 'etcdserver: request timed out'),
    of: wants(31_000),
    want: { reason: 'InternalError', transient: true },
  },
};

/** Opens a run on a cluster with these Services. */
function runWith(services: readonly object[], fails?: Error): Run {
  const { cluster } = clusterOf(services, fails);
  return { nodePorts: nodePortsOf(cluster) } as Run;
}

describe('a refusal of a Service', () => {
  const ports = [{ nodePort: 31_998 }];
  const theirs = serviceOf('theirs', { ports });
  const run = runWith([theirs, serviceOf('x', { ports: [{ nodePort: 31_996 }] })]);

  it.each(casesOf(portRefusals))('W-3 %s', async (_, { given, of, want }) => {
    expect(await explain(run, service, given, of)).toMatchObject(want);
  });

  it.each([
    refused(403, 'Forbidden', 'services is forbidden'),
    new DeadlineError('the Services are not listed yet'),
    refused(503, 'ServiceUnavailable', 'later'),
  ])("W-3 has the server's message if the Services cannot be listed: %s", async (error) => {
    const run = runWith([], error);
    expect(await explain(run, service, invalid(aboutPort(0)), wants(31_998))).toEqual({
      reason: 'Invalid',
      message: 'cannot apply Service default/x: Invalid: Service "x" is invalid',
      transient: false,
    });
  });

  it('W-3 a refusal of another type is never about a node port', async () => {
    expect(await explain(run, deployment, invalid(aboutPort(0)), wants(31_998))).toMatchObject(
      otherRefusal,
    );
  });
});
