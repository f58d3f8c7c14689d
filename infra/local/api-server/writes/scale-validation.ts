import type { FieldError } from '../errors/field-error.ts';
import { invalid } from '../errors/field-error.ts';
import { goPrint } from '../go/print.ts';
import type { JsonObject } from '../json/value.ts';
import { compileJsonPath } from '../printing/json-path.ts';
import type { ScalePaths } from '../resources/resource.ts';

/** Validates the replicas that a custom resource's scale would show. */
export function scaleErrors(
  object: JsonObject,
  { specReplicasPath, statusReplicasPath }: ScalePaths,
): FieldError[] {
  return [specReplicasPath, statusReplicasPath].flatMap((path) => replicasErrors(object, path));
}

function replicasErrors(object: JsonObject, path: string): FieldError[] {
  const [replicas] = compileJsonPath(path)(object);
  if (replicas === undefined) return [];
  if (typeof replicas !== 'number' || !Number.isInteger(replicas)) {
    const why = `${path} accessor error: ${goPrint(replicas)} is of the type ${goType(replicas)}, expected int64`;
    return [invalid(path, 0, why)];
  }
  if (replicas < 0) return [invalid(path, replicas, 'should be a non-negative integer')];
  return replicas <= maxValue
    ? []
    : [invalid(path, replicas, `should be less than or equal to ${maxValue}`)];
}

const maxValue = 2 ** 31 - 1;

function goType(value: unknown): string {
  if (typeof value === 'number') return 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}
