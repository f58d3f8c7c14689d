/** What distinguishes the items of a list. Other lists are replaced as a whole. */
const keys: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  volumes: 'name',
  env: 'name',
  imagePullSecrets: 'name',
  volumeMounts: 'mountPath',
  hostAliases: 'ip',
  topologySpreadConstraints: 'topologyKey',
  volumeDevices: 'devicePath',
  ports: 'name',
};

/** Values that are replaced as a whole, because their fields exclude each other. */
const wholes = new Set(['strategy', 'volumes', 'env', 'readinessProbe', 'livenessProbe']);

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the base with what the other value says, merged as the templates of an operator usually are. */
export function overlaid<Base>(base: Base, over: unknown, field = ''): Base {
  if (over === undefined) return base;
  const key = keys[field];
  if (Array.isArray(base) && Array.isArray(over) && key !== undefined) {
    const of = new Map((base as unknown[]).map((item) => [(item as Fields)[key], item]));
    for (const item of over as unknown[]) {
      const at = (item as Fields)[key];
      of.set(at, wholes.has(field) ? item : overlaid(of.get(at) ?? {}, item));
    }
    return [...of.values()] as Base;
  }
  if (!isFields(base) || !isFields(over) || wholes.has(field)) return over as Base;
  const names = [...new Set([...Object.keys(base), ...Object.keys(over)])];
  return Object.fromEntries(
    names.map((name) => [name, overlaid(base[name], over[name], name)]),
  ) as Base;
}
