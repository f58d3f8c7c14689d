import { childTypesOf, type Kind } from '../../../shared/kinds/kind.ts';
import {
  apiVersionOf,
  groupResource,
  includesType,
  isCustom,
  type JsonObject,
  type ResourceType,
} from '../../../shared/kubernetes.ts';
import { notServedText } from '../../../shared/run/list-error.ts';
import { allowFieldLoss, lossRemedy } from '../base/allow-field-loss.ts';
import { lostValues } from '../base/lost-values.ts';
import type { ApiProbe } from '../base/probe.ts';
import { type DoctorCheck, fail, ok, warn } from './doctor-check.ts';
import type { Remedies } from './remedies.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

interface Definition {
  readonly metadata: { readonly deletionTimestamp?: string };
  readonly spec: {
    readonly versions?: readonly { readonly name: string; readonly served?: boolean }[];
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Expected {
  readonly remedies: Remedies;
  readonly namespaces: readonly string[] | undefined;
  readonly allowsLoss: boolean;
}

/**
 * Checks that the CRD of a kind is installed, established and serves the kind's version, and that this
 * version of it loses no values of stored resources.
 */
export async function definitionCheck(
  probe: ApiProbe,
  kind: Kind,
  expected: Expected,
): Promise<DoctorCheck> {
  const { remedies } = expected;
  const name = nameOf(kind);
  const id = groupResource(kind);
  const { code, value, message } = await probe({ path: `${definitions}/${id}` });
  if (code === 404)
    return fail(
      name,
      `${id} is not installed`,
      remedies.generated('crds', 'apply --server-side -f -'),
    );
  if (code !== 200) {
    const why = code === 403 ? 'this user may not read it' : message;
    return unreadable(probe, kind, { why, remedies });
  }
  const check = checkInstalled(kind, value as Partial<Definition>, expected.remedies);
  return check.state === 'ok'
    ? lossCheck(probe, { kind, installed: value, check }, expected)
    : check;
}

interface Checked {
  readonly kind: Kind;
  readonly installed: JsonObject;
  readonly check: DoctorCheck;
}

/** Warns or fails if installing this version of the CRD would lose values. */
async function lossCheck(
  probe: ApiProbe,
  { kind, installed, check }: Checked,
  { remedies, namespaces, allowsLoss }: Expected,
): Promise<DoctorCheck> {
  const lost = await lostValues(probe, kind, { definition: installed, namespaces });
  if (lost.length === 0) return check;
  const message = `${check.message}; but the CRD of this version of the kind loses or refuses values of stored resources: ${lost.join(', ')}`;
  const remedy = `${remedies.doctor()} ${allowFieldLoss}   # accepts the loss; else ${lossRemedy}`;
  return allowsLoss ? warn(check.name, message) : fail(check.name, message, remedy);
}

const nameOf = (kind: Pick<Kind, 'kind'>): string => `definition of ${kind.kind}`;

function checkInstalled(
  kind: Kind,
  { metadata = {}, spec = {}, status }: Partial<Definition>,
  remedies: Remedies,
): DoctorCheck {
  const name = nameOf(kind);
  const id = groupResource(kind);
  const describe = remedies.kubectl(`describe customresourcedefinition ${id}`);
  const conditionOf = (type: string) => status?.conditions?.find((one) => one.type === type);
  if (metadata.deletionTimestamp !== undefined)
    return fail(name, `${id} is being deleted, and all its resources with it`, describe);
  if (conditionOf('Established')?.status !== 'True') {
    const names = conditionOf('NamesAccepted');
    const why = names === undefined || names.status === 'True' ? '' : `: ${names.message}`;
    return fail(name, `${id} is not established${why}`, describe);
  }
  if (!spec.versions?.some((one) => one.name === kind.version && one.served))
    return fail(
      name,
      `${id} does not serve ${kind.version}`,
      remedies.generated('crds', 'replace -f -'),
    );
  return ok(name, `${id} ${kind.version}, established`);
}

/**
 * Checks that the types of custom children are served. A missing type is only a warning, because possibly no
 * resource wants such a child.
 */
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
  const { resources = [] } = value as { readonly resources?: readonly { name: string }[] };
  return code === 200 && resources.some((one) => one.name === type.plural);
}

/** Falls back to discovery, which shows the served types to a user who may not read CRDs. */
async function unreadable(
  probe: ApiProbe,
  kind: Kind,
  { why, remedies }: { readonly why: string; readonly remedies: Remedies },
): Promise<DoctorCheck> {
  const name = nameOf(kind);
  const id = `${groupResource(kind)} ${kind.version}`;
  if (await isServed(probe, kind))
    return warn(name, `${id} is served, but its CRD could not be read: ${why}`);
  return fail(
    name,
    `${id} is not served, and its CRD could not be read: ${why}`,
    `${remedies.generated('crds', 'apply --server-side -f -')}   # as a user who may write CRDs`,
  );
}
