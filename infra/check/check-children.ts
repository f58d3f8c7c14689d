import { valueAt } from '../../shared/json.ts';
import { type Child, type ChildName, issuerOf, titleOfChild } from '../../shared/kinds/child.ts';
import { builtInProblem } from '../../shared/kinds/child-types/built-in-types.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import {
  dnsLabel,
  label,
  labelValue,
  namespaceName,
  objectName,
  statefulSetName,
} from '../../shared/kinds/names.ts';
import { readTypesOf } from '../../shared/kinds/reads.ts';
import { generatedKeys } from '../../shared/kinds/references/generated-data.ts';
import {
  apiVersionOf,
  groupResource,
  qualifiedName,
  type ResourceType,
} from '../../shared/kubernetes.ts';
import { didYouMean } from '../similar.ts';
import { bodyProblems } from './body-problems.ts';

export const typeName = (type: ResourceType): string => `${apiVersionOf(type)} ${type.kind}`;
export const keyOfChild = ({ type, name, namespace }: ChildName): string =>
  `${typeName(type)} ${qualifiedName(namespace, name)}`;

export function childrenProblems(kind: Kind, children: readonly Child[]): readonly string[] {
  const keys = children.map(keyOfChild);
  const twice = children.filter((child, at) => keys.indexOf(keyOfChild(child)) < at);
  return [
    ...twice.map(
      (child) => `the kind returns ${titleOfChild(child)} twice; give one of them another name`,
    ),
    ...children.flatMap((child) =>
      [
        ...unknownFields(child),
        ...typeProblems(kind, child),
        ...metadataProblems(child),
        ...bodyProblems(child, children),
        ...relationProblems(child, keys),
        ...issuerProblems(child, children),
        ...stepProblems(child, children),
        ...installerProblems(child, children),
      ].map((problem) => `${titleOfChild(child)}: ${problem}`),
    ),
    ...circular(children).map(
      (child) =>
        `${titleOfChild(child)} waits for itself; remove one \`needs\` or \`actsOn\` of the cycle`,
    ),
  ];
}

/** A shorter ttlSecondsAfterFinished causes a warning, because resyncs may be minutes apart. */
const minLife = 600;

/** Warns of Jobs that may expire before a run has seen them complete. Such a Job would be created again. */
export const shortLives = (children: readonly Child[]): readonly string[] =>
  children.flatMap((child) => {
    const life = valueAt(child.body, 'spec', 'ttlSecondsAfterFinished');
    return typeName(child.type) === 'batch/v1 Job' && Number(life ?? minLife) < minLife
      ? [
          `${titleOfChild(child)}: ttlSecondsAfterFinished is ${life}, so the Job may be deleted before a run sees that the Job is complete, and the next run would create the Job again; use at least ${minLife}`,
        ]
      : [];
  });

const childFields: Readonly<Record<keyof Child, true>> = {
  type: true,
  name: true,
  namespace: true,
  labels: true,
  annotations: true,
  body: true,
  handsOver: true,
  needs: true,
  actsOn: true,
  generated: true,
  templates: true,
  initial: true,
  onCollision: true,
  recreate: true,
  blocked: true,
  step: true,
  ends: true,
};

const unknownFields = (child: Child): readonly string[] =>
  Object.keys(child)
    .filter((name) => !Object.hasOwn(childFields, name))
    .map((name) => `a child has no field ${name}${didYouMean(name, Object.keys(childFields))}`);

function typeProblems(
  kind: Kind,
  { type, body, generated, templates = {} }: Child,
): readonly string[] {
  const owned = kind.owns.map(typeName);
  const known = [...owned, ...readTypesOf(kind).map(typeName)];
  const imitated = builtInProblem(type);
  const unread = (generated?.usedBy ?? []).filter((user) => !known.includes(typeName(user.type)));
  return [
    ...(owned.includes(typeName(type)) ? [] : ['its type is not in `owns`; add it']),
    ...(imitated === undefined ? [] : [`type: ${imitated}`]),
    ...Object.keys(templates)
      .filter(
        (key) =>
          valueAt(body, 'data', key) !== undefined ||
          (generated && generatedKeys(generated).includes(key)),
      )
      .map((key) => `templates.${key}: the value of this key is set twice; remove one`),
    ...unread.map(
      (user) => `generated.usedBy ${titleOfChild(user)}: its type is not in \`reads\`; add it`,
    ),
  ];
}

/** Keeps colons and capitals, which RBAC allows, as in `system:node`. */
const rbacName = (text: string): string =>
  text.length <= 253 && !/[/%]|^\.{0,2}$/.test(text) ? text : objectName(text);

/** Each function makes a name legal, and returns a legal name unchanged. */
const legalNames: Readonly<Record<string, (text: string) => string>> = {
  'v1 Service': dnsLabel,
  'v1 Namespace': namespaceName,
  'apps/v1 StatefulSet': statefulSetName,
  ...Object.fromEntries(
    ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map((kind) => [
      `rbac.authorization.k8s.io/v1 ${kind}`,
      rbacName,
    ]),
  ),
};

const legalKey =
  /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;

function metadataProblems(child: Child): readonly string[] {
  const { type, name, namespace = 'default', labels = {}, annotations = {} } = child;
  const legal = legalNames[typeName(type)] ?? objectName;
  const own: readonly string[] = Object.values(label);
  const keys = [...Object.keys(labels), ...Object.keys(annotations)];
  return [
    ...(legal(name) === name ? [] : [`no ${type.kind} can have this name`]),
    ...(namespaceName(namespace) === namespace ? [] : ['no namespace can have this name']),
    ...keys
      .filter((key) => !legalKey.test(key))
      .map((key) => `${key} cannot be the key of a label or an annotation`),
    ...Object.keys(labels)
      .filter((key) => own.includes(key))
      .map((key) => `label ${key} is set by the engine; remove it`),
    ...Object.entries(labels)
      .filter(([, value]) => labelValue(value) !== value)
      .map(([key, value]) => `label ${key} cannot be ${value}; use labelValue`),
  ];
}

const waitsFor = (child: Child): readonly ChildName[] => Object.values(relationsOf(child)).flat();

const relationsOf = (child: Child) => ({
  needs: child.needs ?? [],
  actsOn: child.actsOn === undefined ? [] : [child.actsOn],
  'generated.certificate.issuer': [issuerOf(child) ?? []].flat(),
});

const relationProblems = (child: Child, keys: readonly string[]): readonly string[] => [
  ...(child.type.retained && child.actsOn !== undefined
    ? [
        `a ${child.type.kind} must not have \`actsOn\`, because a run would delete it once ${titleOfChild(child.actsOn)} has another owner; use \`needs\``,
      ]
    : []),
  ...Object.entries(relationsOf(child)).flatMap(([field, named]) =>
    named
      .filter((other) => !keys.includes(keyOfChild(other)))
      .map(
        (other) => `${field} names ${titleOfChild(other)}, which is not a child of the resource`,
      ),
  ),
];

function issuerProblems(child: Child, children: readonly Child[]): readonly string[] {
  const issuer = issuerOf(child);
  const named = issuer && children.find((one) => keyOfChild(one) === keyOfChild(issuer));
  const { certificate } = named?.generated ?? {};
  return named === undefined || (certificate !== undefined && certificate.issuer === undefined)
    ? []
    : [
        `generated.certificate.issuer names ${titleOfChild(named)}, which is not a certificate authority; name a Secret whose generated certificate has no issuer`,
      ];
}

const stepProblems = ({ needs = [] }: Child, children: readonly Child[]): readonly string[] => {
  const others = children.filter(({ step }) => step === undefined).map(keyOfChild);
  return needs
    .filter((need) => need.until === 'complete' && others.includes(keyOfChild(need)))
    .map(
      (need) =>
        `needs ${titleOfChild(need)} until it is complete, but ${titleOfChild(need)} is not a step: set its \`step\`, or omit \`until\``,
    );
};

/** Requires a child to wait for a sibling that is the CRD of its type: without the CRD, the child cannot be written. */
function installerProblems(child: Child, children: readonly Child[]): readonly string[] {
  const { type, needs = [], ends } = child;
  const definition = 'apiextensions.k8s.io/v1 CustomResourceDefinition';
  const installer = children.find(
    (one) => keyOfChild(one) === `${definition} ${groupResource(type)}`,
  );
  if (installer === undefined || ends !== undefined) return [];
  const need = needs.find((one) => keyOfChild(one) === keyOfChild(installer));
  const isAwaited =
    need === undefined ? reaches(child, installer, children) : need.until === 'ready';
  return isAwaited
    ? []
    : [
        `${titleOfChild(installer)} installs the type of this child; add the definition to \`needs\`, with until: 'ready'`,
      ];
}

const circular = (children: readonly Child[]): readonly Child[] =>
  children.filter((child) => reaches(child, child, children));

/** Reports whether one child waits for another, directly or through others. */
function reaches(from: Child, to: Child, children: readonly Child[]): boolean {
  const byKey = new Map(children.map((child) => [keyOfChild(child), child]));
  const seen = new Set<Child>();
  const isOnTheWay = (one: Child): boolean =>
    waitsFor(one).some((name) => {
      const next = byKey.get(keyOfChild(name));
      if (next === to) return true;
      if (next === undefined || seen.has(next)) return false;
      seen.add(next);
      return isOnTheWay(next);
    });
  return isOnTheWay(from);
}
