import { groupResource, includesType, isClusterScoped, isSameType } from '../../kubernetes.ts';
import type { ChildType } from '../child-type.ts';
import { builtInProblem } from '../child-types/built-in-types.ts';
import { secret } from '../child-types/core.ts';
import { engineConditions, rolloutCondition } from '../condition-types.ts';
import type { Kind } from '../kind.ts';
import { namespaceName } from '../names.ts';
import { type ReadDefinition, readTypesOf } from '../reads.ts';
import { rolloutBudget } from '../rollout-budget.ts';

const engineStatus = [
  'observedGeneration',
  'children',
  'conditions',
  'lastApplied',
  'rolloutTarget',
];

/** Finds mistakes that neither TypeScript nor the API server would report. */
export function definitionProblems(kind: Kind): readonly string[] {
  const { owns, reads } = kind;
  const types: readonly (ChildType | undefined)[] = [...owns, ...readTypesOf(kind)];
  if (types.includes(undefined))
    return ['`owns`, `formerly` or `reads` has an undefined type; do two files import each other?'];
  const repeated = owns.filter((type, at) => owns.findIndex((one) => isSameType(one, type)) < at);
  return [
    ...repeated.map((type) => `${groupResource(type)}: list it once, in \`owns\` or \`formerly\``),
    ...owns.flatMap((type) => {
      const field = includesType(kind.formerly, type) ? 'formerly' : 'owns';
      return ownedProblems(kind, type).map((problem) => `${field}: ${problem}`);
    }),
    ...Object.entries(reads).flatMap(([field, read]) =>
      readProblems(kind, read).map((problem) => `reads.${field}: ${problem}`),
    ),
    ...engineStatus
      .filter((name) => Object.hasOwn(kind.schema.status, name))
      .map((name) => `status.${name}: set by the engine for every kind; choose another name`),
    ...kind.conditions
      .filter((type) => engineConditions.includes(type) || type === rolloutCondition)
      .map((type) => `conditions.${type}: set by the engine for every kind; choose another name`),
    ...limitProblems(kind),
  ];
}

const problemsIf = (cases: Readonly<Record<string, boolean>>): readonly string[] =>
  Object.keys(cases).filter((problem) => cases[problem]);

function ownedProblems(kind: Kind, type: ChildType): readonly string[] {
  const name = groupResource(type);
  return [
    ...[builtInProblem(type) ?? []].flat(),
    ...problemsIf({
      [`${name} is cluster-scoped, and a namespaced owner cannot own it; make the kind cluster-scoped (scope: 'Cluster')`]:
        isClusterScoped(type) && !isClusterScoped(kind),
      [`a cluster-scoped kind cannot own ${name}, because paths can be exposed in a safe order only within one namespace; let this kind own a namespaced kind that owns ${name}`]:
        isClusterScoped(kind) && type.exposure !== undefined,
    }),
  ];
}

/** Also finds reads that could reveal objects to the author of a spec despite RBAC. */
function readProblems(kind: Kind, read: ReadDefinition<unknown>): readonly string[] {
  const { type, name, names, selector, from } = read;
  const [isWide, isWideKind] = [isClusterScoped(type), isClusterScoped(kind)];
  const isPlace = (one: string): boolean => namespaceName(one) === one;
  return problemsIf({
    "from must be a list of namespaces, 'all' or 'granted'":
      Array.isArray(from) && !(from.length > 0 && from.every(isPlace)),
    'it has more than one of `name`, `names` and `selector`; keep one':
      [name, names, selector].filter((one) => one !== undefined).length > 1,
    "its type is cluster-scoped, and a namespaced kind cannot read it; make the kind cluster-scoped (scope: 'Cluster')":
      isWide && !isWideKind,
    "its type is cluster-scoped; remove 'from'": isWide && from !== undefined,
    "a cluster-scoped resource has no namespace to read in by default; set `from` to 'granted', 'all' or a list of namespaces":
      (name ?? names ?? selector) !== undefined && from === undefined && isWideKind && !isWide,
    "Secrets of other namespaces are read only with from: 'granted'":
      isSameType(type, secret) && from !== undefined && from !== 'granted',
  });
}

const limitProblems = ({ rolloutBudget: budget, finalizeSeconds }: Kind): readonly string[] =>
  problemsIf({
    [`rolloutBudget is ${budget}; it must be a number such as 2, or a percentage such as '5%'`]:
      budget !== undefined && rolloutBudget(String(budget)) === undefined,
    [`finalizeSeconds is ${finalizeSeconds}; it must be at least 1`]: !(finalizeSeconds >= 1),
  });
