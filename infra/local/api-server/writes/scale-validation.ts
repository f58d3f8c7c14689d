import type { FieldError } from '../errors/errors.ts';
import { goPrint } from '../objects/go-print.ts';
import type { JsonMap } from '../objects/object.ts';
import { compileJsonPath } from '../printers/json-path.ts';
import type { ScalePaths } from '../resources/resource.ts';
import { invalid } from '../schema/field-error.ts';

/** What is wrong with the replicas that a custom resource's scale would show. */
export const scaleErrors = (
  object: JsonMap,
  { specReplicasPath, statusReplicasPath }: ScalePaths,
): FieldError[] =>
  [specReplicasPath, statusReplicasPath].flatMap((path) => replicasErrors(object, path));

const replicasErrors = (object: JsonMap, path: string): FieldError[] => {
  const [replicas] = compileJsonPath(path)(object);
  if (replicas === undefined) return [];
  if (typeof replicas !== 'number' || !Number.isInteger(replicas)) {
    const why = `${path} accessor error: ${goPrint(replicas)} is of the type ${goType(replicas)}, expected int64`;
    return [invalid(path, 0, why)];
  }
  if (replicas < 0) return [invalid(path, replicas, 'should be a non-negative integer')];
  return replicas <= MOST
    ? []
    : [invalid(path, replicas, `should be less than or equal to ${MOST}`)];
};

const MOST = 2 ** 31 - 1;

const goType = (value: unknown): string => {
  if (typeof value === 'number') return 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
};
