import { isMap } from '../canonical.ts';
import { authUrlAnnotation } from '../kinds/names.ts';
import type { Json, JsonObject, KubeObject } from '../kubernetes.ts';

/**
 * The facts that a plan or a kind's status may depend on: few, for they are kept for every child, and
 * no value of a Secret.
 */
export const factsOf = (live: KubeObject): JsonObject => facts[live.kind]?.(live) ?? {};

const facts: Readonly<Record<string, (live: KubeObject) => JsonObject>> = {
  Deployment({ status }) {
    const { availableReplicas } = mapOf(status);
    return { availableReplicas: typeof availableReplicas === 'number' ? availableReplicas : 0 };
  },
  Secret({ data }) {
    const keys = Object.entries(mapOf(data)).filter(([, value]) => value !== '');
    return { keys: keys.map(([key]) => key) };
  },
  Ingress({ spec, metadata }) {
    const { rules = [] } = mapOf(spec);
    const authUrl = metadata.annotations?.[authUrlAnnotation];
    return authUrl === undefined ? { rules } : { rules, authUrl };
  },
};

const mapOf = (value: unknown): JsonObject => (isMap(value as Json) ? (value as JsonObject) : {});
