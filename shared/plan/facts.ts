import { authUrlAnnotation } from '../kinds/names.ts';
import type { JsonObject, KubeObject } from '../kubernetes.ts';

/**
 * The facts that a plan or a kind's status may rest on: few, for they are kept for every child, and
 * of a Secret no value.
 */
export const factsOf = (live: KubeObject): JsonObject => facts[live.kind]?.(live) ?? {};

const facts: Readonly<Record<string, (live: KubeObject) => JsonObject>> = {
  Deployment({ status }) {
    const { availableReplicas = 0 } = (status ?? {}) as { readonly availableReplicas?: number };
    return { availableReplicas };
  },
  Secret({ data }) {
    const keys = Object.entries(data ?? {}).filter(([, value]) => value !== '');
    return { keys: keys.map(([key]) => key) };
  },
  Ingress({ spec, metadata }) {
    const { rules = [] } = (spec ?? {}) as { readonly rules?: readonly JsonObject[] };
    const authUrl = metadata.annotations?.[authUrlAnnotation];
    return authUrl === undefined ? { rules } : { rules, authUrl };
  },
};
