import { configMap, secret } from '../../shared/kinds/child-types/core.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { digestOf } from '../../shared/kinds/names.ts';
import { type FindObject, type Resource, secretDigestPrefix } from '../../shared/kinds/reads.ts';
import { structuralSchema } from '../../shared/kinds/schema/structural-schema.ts';
import { withDefaults } from '../../shared/kinds/schema/walk.ts';
import { isClusterScoped, isSameType, type JsonObject } from '../../shared/kubernetes.ts';

/** Adds the defaults of the schema, as the API server would. */
export function sampleResources(kind: Kind): readonly Resource<JsonObject>[] {
  const structural = structuralSchema(kind.schema.spec, kind.kind);
  return kind.samples.map(({ name, spec }) => ({
    name,
    namespace: isClusterScoped(kind) ? '' : 'default',
    uid: 'uid-of-the-sample',
    createdAt: '2026-01-01T00:00:00Z',
    spec: withDefaults(structural, structuredClone(spec)) as JsonObject,
  }));
}

/** Pretends that every ConfigMap or Secret exists and is empty, and that no object of another type exists. */
export const findEmpty: FindObject = ({ selector, ...reference }) => {
  if (selector === undefined) return emptyOf(reference);
  const { namespace } = reference;
  const one = emptyOf({ ...reference, name: 'selected' });
  return one && { name: '', digest: '', items: [{ ...one, namespace: namespace || 'default' }] };
};

const emptyOf: FindObject = ({ type, name }) => {
  if (isSameType(type, configMap)) return { name, data: {}, digest: digestOf({}) };
  const digest = `${secretDigestPrefix}${digestOf({})}`;
  return isSameType(type, secret) ? { name, keys: [], digest } : undefined;
};
