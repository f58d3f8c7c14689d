import type { Kind } from '../../../shared/kinds/kind.ts';
import { rolloutAnnotation } from '../../../shared/kinds/names.ts';
import { apiVersionOf, groupResource, type JsonObject } from '../../../shared/kubernetes.ts';
import { customResourceDefinition } from '../../generate/crd.ts';
import { type Check, fail, ok, warn } from './check.ts';
import type { Probe } from './probe.ts';
import type { Remedies } from './remedies.ts';
import { type DefinitionSpec, describeDrift, driftOf } from './schema-drift.ts';

interface Definition {
  readonly metadata: {
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: DefinitionSpec;
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A kind, and whether its resources can be listed. */
export interface DefinitionCheck {
  readonly kind: Kind;
  readonly check: Check;
  readonly isServed: boolean;
}

/** Whether a kind's definition is installed, established and the generated one. */
export async function definitionCheck(
  probe: Probe,
  kind: Kind,
  remedies: Remedies,
): Promise<DefinitionCheck> {
  const name = `definition of ${kind.kind}`;
  const id = groupResource(kind);
  const { code, value, message } = await probe({ path: `${definitions}/${id}` });
  if (code === 404) {
    const remedy = remedies.generated('crds', 'apply --server-side -f -');
    return { kind, check: fail(name, `${id} is not installed`, remedy), isServed: false };
  }
  if (code !== 200)
    return unreadable(probe, kind, {
      why: code === 403 ? 'this user may not read it' : message,
      remedies,
    });
  const definition = value as JsonObject & Definition;
  const isServed =
    isEstablished(definition) &&
    definition.spec.versions?.some((one) => one.name === kind.version && one.served) === true;
  return { kind, check: examined(name, { id, kind, definition, remedies }), isServed };
}

const isEstablished = ({ status }: Definition): boolean =>
  status?.conditions?.find(({ type }) => type === 'Established')?.status === 'True';

interface Examined {
  readonly id: string;
  readonly kind: Kind;
  readonly definition: Definition;
  readonly remedies: Remedies;
}

function examined(name: string, { id, kind, definition, remedies }: Examined): Check {
  const { metadata, spec, status } = definition;
  const describe = remedies.kubectl(`describe customresourcedefinition ${id}`);
  if (metadata.deletionTimestamp !== undefined)
    return fail(name, `${id} is being deleted, and all its resources with it`, describe);
  if (!isEstablished(definition)) {
    const names = status?.conditions?.find(({ type }) => type === 'NamesAccepted');
    const why = names === undefined || names.status === 'True' ? '' : `: ${names.message}`;
    return fail(name, `${id} is not established${why}`, describe);
  }
  const { spec: wanted } = customResourceDefinition(kind);
  const drift = driftOf(spec, wanted as DefinitionSpec);
  if (drift === undefined) return ok(name, `${id} ${kind.version}, as generated`);
  const judge = drift.isEssential ? fail : warn;
  const isAnnotated = metadata.annotations?.[rolloutAnnotation] !== undefined;
  const note = isAnnotated
    ? `; replacing it removes ${rolloutAnnotation}, which pauses the rollout or forgives failures`
    : '';
  const words = `${id} differs from the generated one: ${describeDrift(drift)}${note}`;
  return judge(name, words, remedies.generated('crds', 'replace -f -'));
}

/** A user who may not read definitions can still see which types are served. */
async function unreadable(
  probe: Probe,
  kind: Kind,
  { why, remedies }: { readonly why: string; readonly remedies: Remedies },
): Promise<DefinitionCheck> {
  const name = `definition of ${kind.kind}`;
  const id = groupResource(kind);
  const { code, value } = await probe({ path: `/apis/${apiVersionOf(kind)}` });
  const { resources = [] } = value as { readonly resources?: readonly { name: string }[] };
  const isServed = code === 200 && resources.some((one) => one.name === kind.plural);
  const check = isServed
    ? warn(
        name,
        `${id} ${kind.version} is served, but its definition could not be compared: ${why}`,
      )
    : fail(
        name,
        `${id} ${kind.version} is not served, and its definition could not be read: ${why}`,
        `${remedies.generated('crds', 'apply --server-side -f -')}   # as a user who may write definitions`,
      );
  return { kind, check, isServed };
}
