import { isMap } from '../../shared/canonical.ts';
import { isFields, type JsonFields, textAt, valueAt } from '../../shared/json.ts';
import { type Child, titleOfChild } from '../../shared/kinds/child.ts';
import { secret } from '../../shared/kinds/child-types/core.ts';
import {
  clusterRoleBinding,
  role,
  roleBinding,
} from '../../shared/kinds/child-types/small-groups.ts';
import { isWithin } from '../../shared/kinds/impact.ts';
import { includesType, isCustom, isSameType, type Json } from '../../shared/kubernetes.ts';

export const bodyProblems = (child: Child, children: readonly Child[]): readonly string[] => [
  ...Object.keys(child.body)
    .filter((name) => Object.hasOwn(notInBody, name))
    .map((name) => `body has ${name}: ${notInBody[name]}`),
  ...(isCustom(child.type) ? [] : printedFields(child.body, '')),
  ...secretProblems(child),
  ...bindingProblems(child),
  ...autoscalerProblems(child, children),
];

const notInBody: Readonly<Record<string, string>> = {
  apiVersion: 'the type of the child determines this field; remove it',
  kind: 'the type of the child determines this field; remove it',
  metadata: 'set name, labels and annotations on the child',
  status: 'a controller sets this field; remove it',
};

/** Finds fields that are often copied from kubectl's output: nulls, and the `status` of claim templates. */
function printedFields(value: Json | undefined, path: string): readonly string[] {
  if (value === null) return [`${path} is null; remove the field`];
  if (Array.isArray(value))
    return value.flatMap((item, at) => printedFields(item, `${path}[${at}]`));
  if (!isMap(value)) return [];
  const isClaim = /\.volumeClaimTemplates\[\d+\]$/.test(path);
  return Object.entries(value).flatMap(([name, inner]) => {
    const inPath = path === '' ? name : `${path}.${name}`;
    return isClaim && name === 'status'
      ? [`${inPath} is set by the controller of the claim; remove it`]
      : printedFields(inner, inPath);
  });
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Checks the data of a Secret before the server does, because the server's messages about Secrets are not shown. */
function secretProblems({ type, body }: Child): readonly string[] {
  if (!isSameType(type, secret)) return [];
  const data = isMap(body.data) ? body.data : {};
  return [
    ...(body.stringData === undefined
      ? []
      : ['`body` has `stringData`, which cannot be compared; use `data`, in base64']),
    ...Object.keys(data)
      .filter((key) => !base64.test(String(data[key] ?? '')))
      .map((key) => `data ${key} is not base64; use Buffer.from(text).toString('base64')`),
  ];
}

/** The server would add a missing `apiGroup`, so the stored binding would always differ from the desired binding. */
function bindingProblems({ type, body }: Child): readonly string[] {
  if (!includesType([roleBinding, clusterRoleBinding], type)) return [];
  const { roleRef, subjects } = body;
  const people = (Array.isArray(subjects) ? subjects : []).map(
    (subject, at) => [`subjects[${at}]`, subject] as const,
  );
  return [
    ['roleRef', roleRef] as const,
    ...people.filter(([, subject]) => ['User', 'Group'].includes(textAt(subject, 'kind') ?? '')),
  ].flatMap(([path, value]) =>
    isFields(value) && textAt(value, 'apiGroup') === undefined
      ? [`${path} has no apiGroup; set ${role.group}`]
      : [],
  );
}

/** Finds an autoscaler (of any type with a scaleTargetRef) of a child whose body sets the number of replicas. */
function autoscalerProblems(
  { namespace, body }: Child,
  children: readonly Child[],
): readonly string[] {
  const target = valueAt(body.spec, 'scaleTargetRef');
  if (!isFields(target)) return [];
  const scaled = scaledChild(
    { ...kedaDefaults, ...target },
    children.filter((one) => one.namespace === namespace),
  );
  if (scaled === undefined) return [];
  const { type, initial = [] } = scaled;
  const path =
    typeof type.scale === 'object' ? type.scale.specReplicasPath.slice(1) : 'spec.replicas';
  const replicas = valueAt(scaled.body as Json, ...path.split('.'));
  if (replicas === undefined || initial.some((outer) => isWithin(path, outer))) return [];
  return [
    `it scales ${titleOfChild(scaled)}, whose body sets ${path} to ${String(replicas)}, so a run would undo each scaling; in that child, list ${path} in \`initial\`, or remove it from \`body\` and list it in \`handsOver\``,
  ];
}

/** Defaults of scaleTargetRef in a ScaledObject of KEDA. */
const kedaDefaults = { apiVersion: 'apps/v1', kind: 'Deployment' };

export function scaledChild(target: JsonFields, children: readonly Child[]): Child | undefined {
  const [group = ''] = (textAt(target, 'apiVersion') ?? '').split('/').slice(0, -1);
  return children.find(
    ({ type, name }) =>
      type.group === group &&
      type.kind === textAt(target, 'kind') &&
      name === textAt(target, 'name'),
  );
}
