import {
  type InProcessAnswer,
  startInProcessCluster,
} from '@serverless-reconciler/local-cluster/in-process';
import type { TSchema } from 'typebox';
import { customResourceDefinition } from '../../infra/generate/crd.ts';
import { apiVersionOf, type Status } from '../../shared/kubernetes.ts';
import { kindOf } from './probe.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export interface Verdict {
  /** The value as the API server stores it. */
  readonly stored: unknown;
  /** Reason why the API server refuses the value. */
  readonly refusal: string | undefined;
  /** Reason why the kind refuses the stored value, or the sent one if it was not stored. */
  readonly invalid: string | undefined;
  /** Reason why the kind refuses the value as sent. */
  readonly invalidAsSent: string | undefined;
  /** Value that the kind's `children` receives, with defaults. */
  readonly received: unknown;
}

/** Starts an API server that validates values by the CRD of a kind, and compares the kind itself. */
export function createSchemaJudge() {
  const cluster = startInProcessCluster();
  let installed = 0;
  const post = (path: string, body: unknown): InProcessAnswer =>
    cluster.send({ user: 'tester', method: 'POST', path, contentType: 'application/json', body });
  /** Installs a CRD with this schema; returns a function that judges values. */
  const install = async (schema: TSchema): Promise<(value: unknown) => Verdict> => {
    installed += 1;
    const kind = kindOf(schema, `Probe${installed}`);
    const { code, value: response } = post(definitions, customResourceDefinition(kind));
    if (code !== 201) throw new Error(`CRD refused: ${(response as Status).message}`);
    // The server establishes a CRD in a separate microtask.
    await Promise.resolve();
    const apiVersion = apiVersionOf(kind);
    const path = `/apis/${apiVersion}/namespaces/default/${kind.plural}?dryRun=All`;
    const ask = (spec: unknown) => {
      const desired = kind.desired({
        name: 'one',
        namespace: 'default',
        uid: 'u',
        createdAt: '2026-01-01T00:00:00Z',
        spec,
      });
      if ('invalid' in desired) return desired;
      return {
        invalid: undefined,
        received: desired[0]?.body.spec as { readonly value?: unknown },
      };
    };
    return (value) => {
      const spec = { value };
      const body = { apiVersion, kind: kind.kind, metadata: { name: 'one' }, spec };
      const created = post(path, body);
      const isStored = created.code === 201;
      const object = created.value as Status & { readonly spec?: { readonly value?: unknown } };
      if (!isStored && created.code !== 422) throw new Error(`${created.code} ${created.text}`);
      const asSent = ask(JSON.parse(JSON.stringify(spec)));
      return {
        stored: object.spec?.value,
        refusal: isStored ? undefined : (object.message ?? ''),
        invalid: isStored ? ask(object.spec).invalid : asSent.invalid,
        invalidAsSent: asSent.invalid,
        received: 'received' in asSent ? asSent.received.value : undefined,
      };
    };
  };
  return { install, stop: cluster.stop };
}
