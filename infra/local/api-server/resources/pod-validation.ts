import type { FieldError } from '../errors/errors.ts';
import { labelValue, qualifiedName } from '../objects/names.ts';
import { type JsonMap, mapAt, mapsAt, textAt } from '../objects/object.ts';
import { duplicate, invalid, notSupported, required } from '../schema/field-error.ts';
import { containerErrors } from './container-validation.ts';
import { initOnlyErrors, probeErrors } from './probe-validation.ts';
import { checkVolumes } from './volume-validation.ts';

/** What is wrong with a pod template, as far as a workload's writer can get it wrong. */
export const podTemplateErrors = (
  template: JsonMap,
  path: string,
  claims: readonly JsonMap[] = [],
): FieldError[] => {
  const spec = mapAt(template, 'spec');
  const { restartPolicy = 'Always' } = spec;
  return [
    ...labelErrors(mapAt(mapAt(template, 'metadata'), 'labels'), `${path}.labels`),
    ...podSpecErrors(spec, `${path}.spec`, claims),
    ...(restartPolicy === 'Always'
      ? []
      : [notSupported(`${path}.spec.restartPolicy`, restartPolicy, ['Always'])]),
  ];
};

const labelErrors = (labels: JsonMap, path: string): FieldError[] =>
  Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedName(key).map((why) => invalid(path, key, why)),
    ...labelValue(String(value)).map((why) => invalid(path, value, why)),
  ]);

/** A claim template of a StatefulSet gives its pods a volume of its name. */
export const podSpecErrors = (
  spec: JsonMap,
  path: string,
  claims: readonly JsonMap[] = [],
): FieldError[] => {
  const claimed = claims.map((claim) => textAt(mapAt(claim, 'metadata'), 'name'));
  const own = mapsAt(spec, 'volumes').filter(({ name }) => !claimed.includes(String(name)));
  const volumes = checkVolumes(own, `${path}.volumes`);
  const names = new Set([...volumes.names, ...claimed]);
  const containers = mapsAt(spec, 'containers');
  const first = mapsAt(spec, 'initContainers');
  const policies = ['Always', 'OnFailure', 'Never'];
  return [
    ...volumes.errors,
    ...(containers.length === 0 ? [required(`${path}.containers`)] : []),
    ...containers.flatMap((container, index) => {
      const field = `${path}.containers[${index}]`;
      return [
        ...containerErrors(container, field, names),
        ...repeated(container, containers.slice(0, index), field),
        ...probeErrors(container, field),
      ];
    }),
    ...first.flatMap((container, index) => {
      const field = `${path}.initContainers[${index}]`;
      const earlier = [...containers, ...first.slice(0, index).filter(({ name }) => name !== '')];
      return [
        ...containerErrors(container, field, names),
        ...repeated(container, earlier, field),
        ...initOnlyErrors(container, field),
      ];
    }),
    ...labelErrors(mapAt(spec, 'nodeSelector'), `${path}.nodeSelector`),
    ...mapsAt(spec, 'tolerations').flatMap((toleration, index) =>
      tolerationErrors(toleration, `${path}.tolerations[${index}]`),
    ),
    ...(policies.includes(String(spec.restartPolicy ?? 'Always'))
      ? []
      : [notSupported(`${path}.restartPolicy`, spec.restartPolicy, policies)]),
  ];
};

const tolerationErrors = (toleration: JsonMap, path: string): FieldError[] => {
  const [key, operator, value, effect] = ['key', 'operator', 'value', 'effect'].map((field) =>
    textAt(toleration, field),
  );
  const forAll =
    'operator must be Exists when `key` is empty, which means "match all values and all keys"';
  return [
    ...(key === '' && operator !== 'Exists' ? [invalid(`${path}.operator`, operator, forAll)] : []),
    ...(toleration.tolerationSeconds !== undefined && effect !== 'NoExecute'
      ? [
          invalid(
            `${path}.effect`,
            effect,
            "effect must be 'NoExecute' when `tolerationSeconds` is set",
          ),
        ]
      : []),
    ...(operator === 'Exists' && value !== ''
      ? [invalid(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'")]
      : []),
  ];
};

const repeated = ({ name }: JsonMap, earlier: readonly JsonMap[], path: string): FieldError[] =>
  earlier.some((one) => one.name === name) ? [duplicate(`${path}.name`, name)] : [];
