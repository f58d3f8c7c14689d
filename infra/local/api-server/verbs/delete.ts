import { badRequest, invalidObject } from '../errors/errors.ts';
import { isMap } from '../objects/object.ts';
import { parseBody } from '../requests/body.ts';
import { isSet } from '../requests/boolean.ts';
import type { Call, Outcome } from '../requests/call.ts';
import { isDryRun, writerOf } from '../requests/write-options.ts';
import { invalid, notSupported } from '../schema/field-error.ts';
import type { ApiServer } from '../server.ts';
import { type DeleteOptions, deleteObject } from '../writes/delete-object.ts';
import type { Target } from '../writes/target.ts';

/** DELETE of one object: a Status when it is gone, the object when finalizers keep it. */
export const remove = (server: ApiServer, call: Call): Outcome => {
  const { target } = call;
  const { options, dryRun } = deleteOptionsOf(call);
  const { stored, gone } = deleteObject(server, options, { target, writer: { dryRun } });
  if (!gone || target.served.resource.strategy.returnsDeleted) {
    const accepted = !gone && options.orphanDependents === false;
    return { kind: 'object', code: accepted ? 202 : 200, stored, served: target.served };
  }
  return { kind: 'status', code: 200, status: success(target, stored.uid) };
};

const success = ({ served, name }: Target, uid: string) => ({
  kind: 'Status' as const,
  apiVersion: 'v1' as const,
  metadata: {},
  status: 'Success' as const,
  details: {
    name,
    ...(served.resource.group === '' ? {} : { group: served.resource.group }),
    kind: served.resource.plural,
    uid,
  },
});

/** The options of a delete: the body's, or the query's where there is no body. */
export const deleteOptionsOf = (call: Call): { options: DeleteOptions; dryRun: boolean } => {
  const { query } = call;
  writerOf(call);
  if (call.body.trim() === '') return { options: fromQuery(query), dryRun: isDryRun(query) };
  const parsed = parseBody(call.body, call.contentType === 'application/yaml' ? 'yaml' : 'json');
  if (!isMap(parsed)) throw badRequest('DeleteOptions must be an object');
  const { kind = 'DeleteOptions', apiVersion = 'v1' } = parsed;
  if (kind !== 'DeleteOptions') {
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const options = parsed as DeleteOptions & { dryRun?: string[] };
  assertConsistent(options);
  return { options, dryRun: isDryRun(query) || (options.dryRun ?? []).includes('All') };
};

const fromQuery = (query: URLSearchParams): DeleteOptions => {
  const policy = query.get('propagationPolicy');
  const options = {
    ...(policy ? { propagationPolicy: policy } : {}),
    ...(query.has('orphanDependents')
      ? { orphanDependents: isSet(query, 'orphanDependents') }
      : {}),
  };
  assertConsistent(options);
  return options;
};

const POLICIES = ['Foreground', 'Background', 'Orphan'];

const assertConsistent = ({
  propagationPolicy,
  orphanDependents,
  dryRun = [],
}: DeleteOptions & { readonly dryRun?: readonly string[] }): void => {
  const unknown = dryRun.filter((value) => value !== 'All');
  const errors = unknown.length === 0 ? [] : [notSupported('dryRun', unknown, ['All'])];
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    errors.push(
      invalid(
        'propagationPolicy',
        propagationPolicy,
        'orphanDependents and deletionPropagation cannot be both set',
      ),
    );
  }
  if (propagationPolicy !== undefined && !POLICIES.includes(propagationPolicy)) {
    errors.push(notSupported('propagationPolicy', propagationPolicy, [...POLICIES, 'nil']));
  }
  if (errors.length > 0)
    throw invalidObject({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, errors);
};
