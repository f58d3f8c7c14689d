import { listAt, textAt, valueAt } from '../../../shared/json.ts';
import { childTypesOf, type Kind } from '../../../shared/kinds/kind.ts';
import {
  apiVersionOf,
  groupResource,
  includesType,
  isCustom,
  type JsonObject,
  type ResourceType,
} from '../../../shared/kubernetes.ts';
import { notServedText } from '../../../shared/run/explain.ts';
import { allowFieldLoss, stepwiseChange } from '../../check/field-loss.ts';
import { customResourceDefinition } from '../../generate/crd.ts';
import { keepVersions } from '../../generate/install.ts';
import { definitionPath, lostValues } from '../base/field-loss.ts';
import type { ApiProbe } from '../base/probe.ts';
import { type DoctorCheck, fail, type Installation, ok, warn, whyUnread } from './doctor-check.ts';
import type { Remedies } from './remedies.ts';

/** Checks that a CRD is established, serves the kind's version and status, and can be replaced without a loss. */
export async function definitionCheck(
  installation: Installation,
  kind: Kind,
): Promise<DoctorCheck> {
  const { probe, remedies } = installation;
  const { code, value, message } = await probe({ path: definitionPath(kind) });
  if (code === 404)
    return fail(nameOf(kind), `${groupResource(kind)} is not installed`, applied(remedies, kind));
  if (code !== 200) return unreadable(installation, kind, whyUnread({ code, message }));
  return obstacle(installation, kind, value) ?? servedCheck(installation, kind, value);
}

/** The remedy applies only this kind's CRD, because applying others could prune values of their resources. */
const applied = (remedies: Remedies, { kind }: Kind): string =>
  remedies.generated('crds', 'apply --server-side -f -', kind);

async function servedCheck(
  { probe, remedies, namespaces, allowsLoss }: Installation,
  kind: Kind,
  definition: JsonObject,
): Promise<DoctorCheck> {
  const id = groupResource(kind);
  const served = versionIn(definition, kind);
  const problem =
    served === undefined || valueAt(served, 'served') !== true
      ? `${id} does not serve ${kind.version}`
      : statusProblem(served, kind);
  const check =
    problem === undefined
      ? ok(nameOf(kind), `${id} ${kind.version}, established`)
      : fail(nameOf(kind), problem, applied(remedies, kind));
  const lost = await lostValues(probe, kind, { definition, namespaces });
  if (lost.length === 0) return check;
  const message = `${check.message}; but the CRD that this code generates would drop or refuse values of stored resources: ${lost.join(', ')}`;
  const remedy = `${remedies.doctor()} ${allowFieldLoss}   # accepts the loss; to keep the values, ${stepwiseChange}`;
  if (!allowsLoss) return fail(check.name, message, remedy);
  return check.state === 'ok' ? warn(check.name, message) : { ...check, message };
}

const versionIn = (definition: unknown, { version }: Kind): unknown =>
  listAt(definition, 'spec', 'versions').find((one) => textAt(one, 'name') === version);

function statusProblem(served: unknown, kind: Kind): string | undefined {
  const refused = `${groupResource(kind)} ${kind.version} refuses every status that this code writes, because the CRD has no`;
  if (valueAt(served, 'subresources', 'status') === undefined)
    return `${refused} status subresource`;
  const [installed, generated] = [served, versionIn(customResourceDefinition(kind), kind)].map(
    (version) => valueAt(version, 'schema', 'openAPIV3Schema', 'properties', 'status'),
  );
  if (valueAt(installed, 'x-kubernetes-preserve-unknown-fields') === true) return undefined;
  const missing = Object.keys(valueAt(generated, 'properties') ?? {}).filter(
    (name) => valueAt(installed, 'properties', name) === undefined,
  );
  return missing.length === 0 ? undefined : `${refused} status.${missing.join(', status.')}`;
}

const nameOf = (kind: Pick<Kind, 'kind'>): string => `CRD of ${kind.kind}`;

/** Returns what prevents the API server from serving this CRD, or from accepting the generated CRD. */
function obstacle(
  { remedies }: Installation,
  kind: Kind,
  definition: JsonObject,
): DoctorCheck | undefined {
  const name = nameOf(kind);
  const id = groupResource(kind);
  const describe = remedies.kubectl(`describe customresourcedefinition ${id}`);
  if (textAt(definition, 'metadata', 'deletionTimestamp') !== undefined)
    return fail(name, `${id} is being deleted, and all its resources with it`, describe);
  const conditions = listAt(definition, 'status', 'conditions');
  const conditionOf = (type: string) => conditions.find((one) => textAt(one, 'type') === type);
  if (textAt(conditionOf('Established'), 'status') !== 'True') {
    const names = conditionOf('NamesAccepted');
    const isAccepted = names === undefined || textAt(names, 'status') === 'True';
    const why = isAccepted ? '' : `: ${textAt(names, 'message')}`;
    return fail(name, `${id} is not established${why}`, describe);
  }
  const named = [kind.version, ...kind.versions.map((one) => one.name)];
  const stored = listAt(definition, 'status', 'storedVersions').map(String);
  const missing = stored.filter((one) => !named.includes(one));
  if (missing.length === 0) return undefined;
  const versions = missing.join(', ');
  return fail(
    name,
    `${id}: resources may be stored as ${versions} (status.storedVersions); the API server would refuse the generated CRD, which does not define ${versions}`,
    `${remedies.doctor()}   # first ${keepVersions}`,
  );
}

/** A custom child type that is not served is only a warning, because perhaps no resource has such a child. */
export async function childTypeChecks(
  probe: ApiProbe,
  kinds: readonly Kind[],
): Promise<readonly DoctorCheck[]> {
  const types = childTypesOf(kinds).filter((type) => isCustom(type) && !includesType(kinds, type));
  const checks = types.map(async (type) =>
    (await isServed(probe, type))
      ? ok(nameOf(type), `${groupResource(type)} ${type.version}, served`)
      : warn(nameOf(type), notServedText(type, kinds)),
  );
  return Promise.all(checks);
}

async function isServed(probe: ApiProbe, type: ResourceType): Promise<boolean> {
  const { code, value } = await probe({ path: `/apis/${apiVersionOf(type)}` });
  const resources = listAt(value, 'resources');
  return code === 200 && resources.some((one) => textAt(one, 'name') === type.plural);
}

/** Checks a kind by discovery if its CRD cannot be read: every user may ask which types are served. */
async function unreadable(
  { probe, remedies }: Installation,
  kind: Kind,
  why: string,
): Promise<DoctorCheck> {
  const name = nameOf(kind);
  const id = `${groupResource(kind)} ${kind.version}`;
  if (await isServed(probe, kind))
    return warn(name, `${id} is served, but its CRD could not be read: ${why}`);
  const remedy = `${applied(remedies, kind)}   # as a user who may write CRDs`;
  return fail(name, `${id} is not served, and its CRD could not be read: ${why}`, remedy);
}
