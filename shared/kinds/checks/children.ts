import { isDeeperThan, maxDepth } from '../../canonical.ts';
import { valueAt } from '../../json.ts';
import { includesType, isClusterScoped, isSameType, type ResourceType } from '../../kubernetes.ts';
import { quote } from '../../printable.ts';
import { type Child, type Generated, titleOfChild } from '../child.ts';
import type { ChildType } from '../child-type.ts';
import { mayHoldData } from '../child-types/built-in-types.ts';
import { secret } from '../child-types/core.ts';
import { throwAny } from '../own-code.ts';
import { type Certificate, generatedKeys } from '../references/generated-data.ts';
import { otherValue, placesIn } from '../schema/walk.ts';

export type Returning = 'children' | 'finalize';

type Definition = ResourceType & { readonly formerly?: readonly ChildType[] };

/** Turns the Jobs of `finalize` into steps. Throws an Error for mistakes that TypeScript cannot find. */
export function checkedChildren(
  definition: Definition,
  returned: Returning,
  desired: readonly Child[],
): readonly Child[] {
  const { kind } = definition;
  if (!Array.isArray(desired))
    throw new Error(
      `${kind}: ${returned} returned ${quote(desired)}; it must return a list of children, and not be async`,
    );
  const problems = desired.flatMap((child, at) => {
    if (!isChild(child))
      return `[${at}] is ${quote(child)}; it must be a child, or omitted: ...(condition ? [child(…)] : [])`;
    const problem = problemOf(child, definition, returned);
    return problem === undefined ? [] : `[${at}], ${titleOfChild(child)}: ${problem}`;
  });
  throwAny(kind, problems, returned);
  if (returned === 'children') return desired;
  return desired.map((child) =>
    child.type.complete === undefined || child.ends
      ? child
      : { ...child, step: child.step ?? 'once' },
  );
}

const isChild = (value: unknown): value is Child =>
  [valueAt(value, 'type', 'kind'), valueAt(value, 'name')].every(
    (text) => typeof text === 'string',
  );

export function bodyProblem(child: Child): string | undefined {
  const path = `${titleOfChild(child)}: body`;
  if (isDeeperThan(maxDepth, child.body)) return `${path} is nested deeper than ${maxDepth} levels`;
  return otherValue(placesIn({}, child.body, path));
}

function problemOf(child: Child, definition: Definition, returned: Returning): string | undefined {
  const { type, ends, step, templates, generated, recreate } = child;
  if (step !== undefined && type.complete === undefined) return '`step` is for Jobs; remove it';
  const isStep = step !== undefined || (returned === 'finalize' && type.complete !== undefined);
  if (isStep && type.expires?.(child.body) === true)
    return 'a TTL could delete the step before a run has seen it complete; remove `ttlSecondsAfterFinished`';
  if ((templates ?? generated) !== undefined && !isSameType(type, secret))
    return 'only a Secret may have `templates` or `generated`; keep the values in a Secret';
  if (ends && returned === 'children')
    return `${ends}() is for finalize only; ${ends === 'gone' ? 'to delete a child, omit it' : 'use child()'}`;
  if (ends !== 'gone' && includesType(definition.formerly ?? [], type))
    return 'its type is listed in `formerly`; move it to `owns`';
  if (returned === 'finalize' && (type.exposure ?? (ends !== 'kept' && type.retained)))
    return 'a child of this type is deleted with its resource; omit it from finalize';
  return (
    (generated && generatedProblem(generated)) ??
    (recreate && recreateProblem(child)) ??
    namespaceProblem(child, definition)
  );
}

function namespaceProblem({ type, namespace }: Child, kind: ResourceType): string | undefined {
  const needsNamespace = isClusterScoped(kind) && !isClusterScoped(type);
  if (needsNamespace === (namespace !== undefined)) return undefined;
  if (needsNamespace) return 'it has no namespace; set namespace next to name';
  return isClusterScoped(type)
    ? `omit its namespace, because ${type.kind} is cluster-scoped`
    : `omit its namespace, because the engine puts children of a ${kind.kind} into the namespace of the ${kind.kind}`;
}

function recreateProblem({ type, generated, step, recreate }: Child): string | undefined {
  const { kind, exposure, retained } = type;
  if (generated !== undefined) return '`recreate` would lose generated data; remove `recreate`';
  if (step !== undefined)
    return '`recreate` is not supported for a step; put a digest of its fields into its name';
  if (exposure !== undefined || retained)
    return `\`recreate\` is not supported for ${kind}; remove \`recreate\``;
  return recreate !== 'even-with-data' && mayHoldData(type)
    ? `\`recreate\` would delete data that a ${kind} may hold; set it to "even-with-data" to accept the loss`
    : undefined;
}

function generatedProblem(generated: Generated): string | undefined {
  const { keys, keyPair, certificate, usedBy } = generated;
  if ([keys, keyPair, certificate].filter((one) => one !== undefined).length !== 1)
    return '`generated` must have exactly one of `keys`, `keyPair` and `certificate`';
  // A key may be undefined: by default, TypeScript accepts `names[0]` as a string even if `names` may be empty.
  if (!generatedKeys(generated).every(Boolean))
    return "`generated` has an empty or undefined key of the Secret's data";
  const nameless = usedBy.findIndex(({ name }) => !name);
  if (nameless >= 0) return `generated.usedBy[${nameless}] has no name`;
  if (keyPair !== undefined && keyPair.privateKey === keyPair.publicKey)
    return "`generated.keyPair` must have two different keys of the Secret's data: one as `privateKey`, one as `publicKey`";
  const problem = certificate && certificateProblem(certificate);
  return problem && `generated.certificate ${problem}`;
}

const maxNames = 100;
const maxDays = 36_500;

function certificateProblem({ commonName, dnsNames = [], days = 1 }: Certificate) {
  const other = dnsNames.find((name) => !/^[\w.*-]{1,253}$/.test(name));
  if (other !== undefined)
    return `has ${quote(other)} in dnsNames; a DNS name has 1 to 253 ASCII characters`;
  if (dnsNames.length > maxNames) return `must have at most ${maxNames} dnsNames`;
  if (!Number.isSafeInteger(days) || days < 1 || days > maxDays)
    return `has ${days} days; days must be an integer from 1 to ${maxDays}`;
  const { length } = commonName ?? dnsNames[0] ?? '';
  return length < 1 || length > 64
    ? 'must have a commonName of 1 to 64 characters, because the default, the first of dnsNames, is absent or longer'
    : undefined;
}
