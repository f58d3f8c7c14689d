import { isDeeperThan, maxDepth } from '../../canonical.ts';
import { isFields } from '../../json.ts';
import { includesType, isClusterScoped, isSameType, type ResourceType } from '../../kubernetes.ts';
import { quote } from '../../printable.ts';
import { type Child, titleOfChild } from '../child.ts';
import { type ChildType, mayHoldData } from '../child-type.ts';
import { secret } from '../child-types/core.ts';
import { isTemplate } from '../references/template.ts';
import { otherValue, placesIn } from '../schema/walk.ts';
import {
  and,
  anObject,
  anyString,
  aText,
  aType,
  given,
  integerFrom,
  isText,
  isType,
  listOf,
  mapOf,
  matching,
  must,
  objectWith,
  oneOf,
  optional,
  type Shape,
  throwAny,
} from './shape.ts';

export type Returning = 'children' | 'finalize';

type Definition = ResourceType & { readonly formerly?: readonly ChildType[] };

/** Turns the Jobs of `finalize` into steps. */
export function checkedChildren(
  definition: Definition,
  returned: Returning,
  desired: readonly Child[],
): readonly Child[] {
  const { kind } = definition;
  const list: unknown = desired;
  if (!Array.isArray(list))
    throw new Error(
      `${kind}: ${returned} returned ${quote(list)}; it must return a list of children, and not be async`,
    );
  throwAny(kind, listOf(childOf(definition, returned))(list), returned);
  if (returned === 'children') return desired;
  return desired.map((child) =>
    child.type.complete === undefined || child.ends
      ? child
      : { ...child, step: child.step ?? 'once' },
  );
}

export function bodyProblem(child: Child): string | undefined {
  const path = `${titleOfChild(child)}: body`;
  return isDeeperThan(maxDepth, child.body)
    ? `${path} is nested deeper than ${maxDepth} levels`
    : otherValue(placesIn({}, child.body, path));
}

const childOf = (definition: Definition, returned: Returning): Shape =>
  and(named, (one) => {
    const child = one as Child;
    const problems = contents(child);
    const misused = problems.length > 0 ? undefined : misuse(child, definition, returned);
    if (misused !== undefined) return [`, ${titleOfChild(child)}: ${misused}`];
    return problems.map((problem) => `, ${titleOfChild(child)}: ${problem.slice(1)}`);
  });

const named = and(
  given((one) => !Array.isArray(one), ' is a list; spread it: ...list'),
  must(isFields, 'a child, or omitted: ...(condition ? [child(…)] : [])'),
  objectWith({ type: must(isType, 'a type in owns: child(type, { name, body })'), name: aText }),
);

const other = objectWith({ type: aType, name: aText });
const strings = optional(mapOf(optional(anyString)));
const paths = optional(
  must(
    (value) => Array.isArray(value) && value.every(isText),
    "a list of paths, such as ['spec.replicas']",
  ),
);
const key = matching(/^.{1,253}$/s, 'a string of 1 to 253 characters');

const keyPair = and(
  objectWith({
    privateKey: key,
    publicKey: key,
    algorithm: optional(oneOf('ed25519', 'ecdsa', 'rsa')),
  }),
  given(
    ({ privateKey, publicKey }) => privateKey !== publicKey,
    " must have two different keys of the Secret's data: one as privateKey, one as publicKey",
  ),
);

const commonName = matching(/^.{1,64}$/s, 'a string of 1 to 64 characters');
const dnsName = matching(/^[\w.*-]{1,253}$/, 'a DNS name of 1 to 253 ASCII characters');
const maxNames = 100;
const maxDays = 36_500;
const certificate = and(
  objectWith({
    issuer: optional(key),
    commonName: optional(commonName),
    dnsNames: optional(
      and(
        listOf(dnsName),
        given(({ length }) => Number(length) <= maxNames, ` must have at most ${maxNames} names`),
      ),
    ),
    days: optional(integerFrom(1, maxDays, `an integer from 1 to ${maxDays}`)),
  }),
  given(
    (one) =>
      one.commonName !== undefined || commonName((one.dnsNames as string[])?.[0]).length === 0,
    ' must have a commonName, because the first of dnsNames is absent or has more than 64 characters',
  ),
);

const generated = and(
  objectWith({
    usedBy: listOf(other),
    keys: optional(listOf(key)),
    keyPair: optional(keyPair),
    certificate: optional(certificate),
    rotation: optional(anyString),
  }),
  given(
    ({ keys, keyPair, certificate }) =>
      [keys, keyPair, certificate].filter((one) => one !== undefined).length === 1,
    ' must have exactly one of keys, keyPair and certificate',
  ),
);

const contents = objectWith({
  body: anObject,
  labels: strings,
  annotations: strings,
  handsOver: paths,
  initial: paths,
  needs: optional(
    listOf(and(other, objectWith({ until: optional(oneOf('applied', 'ready', 'complete')) }))),
  ),
  actsOn: optional(other),
  step: optional(oneOf('once', 'each-time')),
  generated: optional(generated),
  // The message of `must` would show the value, which may be secret.
  templates: optional(mapOf(given(isTemplate, ' must be a result of template`…` or secretValue'))),
  onCollision: optional(oneOf('fail', 'adopt-if-unowned')),
  recreate: optional(oneOf(true, 'even-with-data')),
  blocked: optional(objectWith({ reason: aText, message: anyString })),
});

function misuse(child: Child, definition: Definition, returned: Returning): string | undefined {
  const { type, ends, step, templates, recreate } = child;
  if (step !== undefined && type.complete === undefined) return 'step is only for a Job; remove it';
  const isStep = step !== undefined || (returned === 'finalize' && type.complete !== undefined);
  if (isStep && type.expires?.(child.body) === true)
    return 'a step is deleted once its completion is recorded; remove ttlSecondsAfterFinished';
  if (templates !== undefined && !isSameType(type, secret))
    return 'templates are only for a Secret; remove them';
  if (ends && returned === 'children')
    return `${ends}() is for finalize only; ${ends === 'gone' ? 'to delete a child, omit it' : 'build the child by child()'}`;
  if (ends !== 'gone' && includesType(definition.formerly ?? [], type))
    return 'its type is in formerly; move it to owns';
  if (returned === 'finalize' && (type.exposure ?? (ends !== 'kept' && type.retained)))
    return 'a child of this type is deleted with its resource; omit it from finalize';
  return (recreate && recreateProblem(child)) ?? namespaceProblem(child, definition);
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
    return '`recreate` is not supported for a step; derive the name of the Job from its fields';
  if (exposure !== undefined || retained)
    return `\`recreate\` is not supported for ${kind}; remove \`recreate\``;
  return recreate === true && mayHoldData(type)
    ? `\`recreate\` would delete data that a ${kind} may hold; set it to "even-with-data" to accept the loss`
    : undefined;
}
