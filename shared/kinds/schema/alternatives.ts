import { present } from '../../json.ts';
import { type Keywords, refuse } from './keywords.ts';

export const annotations: readonly string[] = ['title', 'description', 'example'];

/** Keywords that the API server lacks and that do not affect validity. */
export const dropped: readonly string[] = [
  '$comment',
  '$id',
  '$schema',
  'deprecated',
  'examples',
  'readOnly',
  'writeOnly',
];

const isAnnotation = (name: string): boolean =>
  annotations.includes(name) || dropped.includes(name);

export const intOrString = 'x-kubernetes-int-or-string';

/** Rewrites a union, literal or enumeration in a form that the API server accepts. Leaves nested schemas unchanged. */
export function asOneType(schema: Keywords, path: string): Keywords {
  refuseHidden(schema, path);
  const { anyOf, const: literal, ...rest } = schema;
  if (anyOf !== undefined) return union(anyOf as readonly Keywords[], rest, path);
  const values = 'const' in schema ? [literal] : (rest.enum as readonly unknown[] | undefined);
  return values === undefined ? schema : enumeration(values, rest, path);
}

/** Refuses TypeBox's refinements and conversions, because the CRD would silently lose them. */
function refuseHidden(schema: Keywords, path: string): void {
  if ('~refine' in schema)
    refuse(path, "Type.Refine is not supported; use withRules, or the kind's `refuse`");
  if ('~codec' in schema)
    refuse(path, "Type.Codec is not supported; convert the value in the kind's `children`");
}

const flat = (members: readonly Keywords[], path: string): readonly Keywords[] =>
  members.flatMap((member) => {
    refuseHidden(member, path);
    const { anyOf, ...rest } = member;
    const isPlain = Array.isArray(anyOf) && Object.keys(rest).every(isAnnotation);
    return isPlain ? flat(anyOf, path) : [member];
  });

const onlyUnions = 'use a union of literals, of Integer and String, or of one schema and Null';

function union(alternatives: readonly Keywords[], rest: Keywords, path: string): Keywords {
  const members = flat(alternatives, path);
  const others = members.filter(({ type }) => type !== 'null');
  const one = withoutNull(others, path);
  const twice = Object.keys(rest).find((name) => name in one && !isAnnotation(name));
  if (twice !== undefined && twice !== intOrString)
    refuse(path, `${twice} is set on a union and on a member of the union; set it once`);
  if (others.length === members.length) return { ...one, ...rest };
  const values = one.enum as readonly unknown[] | undefined;
  const withNull = present({ enum: values && [...new Set([...values, null])] });
  return { ...one, ...rest, ...withNull, nullable: true };
}

function withoutNull(members: readonly Keywords[], path: string): Keywords {
  const [first, ...more] = members;
  if (first === undefined)
    return refuse(
      path,
      `a schema that accepts nothing, or only null, is not supported; ${onlyUnions}`,
    );
  if (more.length === 0) return asOneType(first, path);
  if (members.every((member) => 'const' in member)) {
    const values = members.map((member) => member.const);
    return enumeration(values, {}, path);
  }
  const types = members.map(({ type }) => type).toSorted();
  if (types.join() === 'integer,string') return integerOrString(members, path);
  const remedy = types.every((type) => type === 'object')
    ? 'use one object with an optional field for each alternative, and a rule (withRules) that requires exactly one'
    : onlyUnions;
  return refuse(path, `this union is not supported; ${remedy}`);
}

export const ofNumber = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
];
export const ofString = ['minLength', 'maxLength', 'pattern'];

/** Merges the members' keywords, which cannot conflict, because bounds are for numbers and all others for strings. */
function integerOrString(members: readonly Keywords[], path: string): Keywords {
  const constraints = members.flatMap(({ type, ...member }) => {
    const allowed = type === 'integer' ? ofNumber : ofString;
    const own = Object.entries(member).filter(([name]) => !isAnnotation(name));
    const other = own.find(([name]) => !allowed.includes(name));
    if (other !== undefined)
      refuse(path, `${other[0]} on a member of this union is not supported; set it on the union`);
    return own;
  });
  const types = [{ type: 'integer' }, { type: 'string' }];
  return { anyOf: types, [intOrString]: true, ...Object.fromEntries(constraints) };
}

function enumeration(values: readonly unknown[], rest: Keywords, path: string): Keywords {
  const named = values.filter((value) => value !== null);
  const types = new Set(named.map((value) => typeof value));
  const [type = ''] = types;
  if (types.size !== 1 || !['string', 'number', 'boolean'].includes(type))
    refuse(path, 'the values of an enumeration must be all strings, all numbers or all booleans');
  const isWhole = named.every((value) => Number.isInteger(value));
  const own = isWhole ? 'integer' : type;
  const { type: given = own, enum: _, ...others } = rest;
  if (given !== own && given !== type)
    refuse(path, `type is ${JSON.stringify(given)}, but the values of enum have the type "${own}"`);
  const nullable = named.length < values.length ? { nullable: true } : {};
  return { type: own, enum: [...new Set(values)], ...others, ...nullable };
}
