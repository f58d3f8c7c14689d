import { isMap } from '../../../shared/canonical.ts';
import type { Kind } from '../../../shared/kinds/kind.ts';
import type { Json, JsonObject } from '../../../shared/kubernetes.ts';
import { containerImage } from '../container.ts';
import { definitionFiles, rbacFiles, yaml } from '../files.ts';
import { kubernetesManifests } from '../kubernetes-manifests.ts';
import type { PodSettings } from '../pod.ts';
import { chartValues, valuesSchema } from './values.ts';

/** Image, schedule and environment become the chart's default values. */
interface ChartInput extends Omit<PodSettings, 'namespace'> {
  readonly version: string;
  readonly auditFrom: readonly string[] | undefined;
}

/**
 * Generates a Helm chart from the manifests of `generate kubernetes`, the CRDs and the permissions: path → text.
 *
 * Caveats: values cannot change the kinds and namespaces, because CRDs and roles depend on them.
 */
export function chartFiles(kinds: readonly Kind[], input: ChartInput): ReadonlyMap<string, string> {
  const { name, namespaces } = input;
  const user = template('toJson (include "reconciler.user" .)');
  const manifests = kubernetesManifests({
    ...input,
    image: template('toJson .Values.image'),
    namespace: template('toJson .Release.Namespace'),
    schedule: template('toJson .Values.schedule'),
    auditFrom: ['0.0.0.0/0'],
  });
  const permissions = rbacFiles(kinds, { name, user, namespaces });
  const templates = [...manifests, ...permissions].map(
    ([path, manifest]) => [path, textOf(withValues(manifest as JsonObject))] as const,
  );
  const definitions = [...definitionFiles(kinds)].map(
    ([path, definition]) =>
      [path, onlyIf('.Values.crds.install', literal(kept(definition)))] as const,
  );
  const files = [...templates, ...definitions].map(([path, text]): [string, string] => [
    `templates/${path}`,
    path === 'audit-network-policy.yaml' ? onlyIf('.Values.auditFrom', text) : text,
  ]);
  return new Map([
    ['Chart.yaml', yaml(chart(input))],
    ['values.yaml', chartValues(input)],
    ['values.schema.json', `${JSON.stringify(valuesSchema, null, 2)}\n`],
    ['templates/_helpers.tpl', helpers(input)],
    ['templates/NOTES.txt', notes(name)],
    ...files,
  ]);
}

const chart = ({ name, version }: ChartInput) => ({
  apiVersion: 'v2',
  name,
  description: 'Reconciles custom resources without an operator pod',
  type: 'application',
  version,
});

/** Marks a template expression, so that `textOf` writes it as `{{ … }}`. */
const template = (expression: string): string => `§${expression}§`;

/** Formats a manifest so that Helm leaves it unchanged, even if it contains braces. */
const literal = (manifest: object): string => yaml(manifest).replaceAll('{{', '{{ "{{" }}');

const textOf = (manifest: object): string =>
  literal(manifest).replaceAll(/(['"]?)§(.*?)§\1/g, '{{ $2 }}');

const onlyIf = (condition: string, text: string): string =>
  `{{- if ${condition} }}\n${text}{{- end }}\n`;

/** Keeps the CRD, and so all custom resources, when the chart is uninstalled. */
const kept = (definition: object): JsonObject =>
  edited(definition as JsonObject, ['metadata'], {
    annotations: { 'helm.sh/resource-policy': 'keep' },
  });

function withValues(manifest: JsonObject): JsonObject {
  switch (manifest.kind) {
    case 'ServiceAccount':
      return edited(manifest, ['metadata'], {
        annotations: template('toJson .Values.serviceAccount.annotations'),
      });
    case 'Deployment':
      return inPods(manifest, ['spec', 'template'], {
        env: template(
          `include "reconciler.environment" (dict "root" . "target" "${targetOf(manifest)}")`,
        ),
        resources: template('toJson .Values.resources'),
      });
    case 'CronJob':
      return inPods(
        edited(manifest, ['spec', 'jobTemplate', 'spec'], {
          activeDeadlineSeconds: template('include "reconciler.deadline" .'),
        }),
        ['spec', 'jobTemplate', 'spec', 'template'],
        {},
      );
    case 'NetworkPolicy':
      return isAudit(manifest) ? edited(manifest, ['spec', 'ingress', '0'], fromValues) : manifest;
    default:
      return manifest;
  }
}

const labelOf = ({ metadata }: JsonObject): Json | undefined =>
  isMap(metadata) && isMap(metadata.labels)
    ? metadata.labels['app.kubernetes.io/component']
    : undefined;

const targetOf = (manifest: JsonObject): string => String(labelOf(manifest));
const isAudit = (manifest: JsonObject): boolean => labelOf(manifest) === 'audit';

const fromValues = { from: template('include "reconciler.auditFrom" .') };

function inPods(manifest: JsonObject, path: readonly string[], fields: JsonObject): JsonObject {
  const withPod = edited(manifest, [...path, 'spec'], {
    imagePullSecrets: template('toJson .Values.imagePullSecrets'),
    nodeSelector: template('toJson .Values.nodeSelector'),
    tolerations: template('toJson .Values.tolerations'),
    affinity: template('toJson .Values.affinity'),
  });
  return edited(withPod, [...path, 'spec', 'containers', '0'], fields);
}

function edited<T extends Json>(
  value: T,
  [first, ...rest]: readonly string[],
  fields: JsonObject,
): T {
  if (first === undefined) return { ...(value as JsonObject), ...fields } as T;
  if (Array.isArray(value))
    return value.map((item, index) =>
      String(index) === first ? edited(item, rest, fields) : item,
    ) as unknown as T;
  const map = value as JsonObject;
  return { ...map, [first]: edited(map[first] as Json, rest, fields) } as T;
}

const helpers = ({ name, environment, deadlineSeconds }: ChartInput): string => `\
{{- define "reconciler.user" -}}
{{ printf "system:serviceaccount:%s:${name}" .Release.Namespace }}
{{- end }}

{{- define "reconciler.environment" -}}
{{- $fixed := dict "FUNCTION_TARGET" .target "OWN_IDENTITY" (include "reconciler.user" .root) -}}
{{- $all := merge $fixed .root.Values.environment (dict "NODE_OPTIONS" ${JSON.stringify(containerImage.nodeOptions)}) -}}
{{- $env := list -}}
{{- range $name, $value := $all }}{{ $env = append $env (dict "name" $name "value" $value) }}{{ end -}}
{{- toJson $env -}}
{{- end }}

{{- define "reconciler.deadline" -}}
{{ add 60 (default "${environment.DEADLINE_SECONDS ?? deadlineSeconds}" .Values.environment.DEADLINE_SECONDS) }}
{{- end }}

{{- define "reconciler.auditFrom" -}}
{{- $from := list -}}
{{- range .Values.auditFrom }}{{ $from = append $from (dict "ipBlock" (dict "cidr" .)) }}{{ end -}}
{{- toJson $from -}}
{{- end }}
`;

const notes = (name: string): string => `\
Run a first resync and read its report:

  kubectl create job -n {{ .Release.Namespace }} --from=cronjob/${name}-schedule first-resync
  kubectl logs -n {{ .Release.Namespace }} job/first-resync --follow
`;
