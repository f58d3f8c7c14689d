import type { FieldError } from '../errors/errors.ts';
import type { JsonMap } from '../objects/object.ts';
import { compileJsonPath } from '../printers/json-path.ts';
import type { ScalePaths } from '../resources/resource.ts';
import { invalid } from '../schema/field-error.ts';

/** What is wrong with the replicas that a custom resource's scale would show. */
export const scaleErrors = (object: JsonMap, { specReplicasPath }: ScalePaths): FieldError[] => {
  const [replicas] = compileJsonPath(specReplicasPath)(object);
  if (replicas === undefined) return [];
  if (typeof replicas !== 'number' || !Number.isInteger(replicas)) {
    return [
      invalid(
        specReplicasPath,
        0,
        `${specReplicasPath} accessor error: ${replicas} is of the type ${goType(replicas)}, expected int64`,
      ),
    ];
  }
  if (replicas >= 0) return [];
  return [invalid(specReplicasPath, replicas, 'should be a non-negative integer')];
};

const goType = (value: unknown): string => {
  if (typeof value === 'number') return 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
};
