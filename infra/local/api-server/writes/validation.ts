import { invalidObject } from '../errors/api-errors.ts';
import type { FieldError } from '../errors/field-error.ts';
import type { ApiError } from '../errors/status.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Writer } from '../requests/write-options.ts';
import type { ServerState } from '../resources/server-state.ts';
import type { WriteContext } from '../resources/strategy.ts';
import { kindSubjectOf, type Target } from '../resources/target.ts';
import { validate } from '../validation/validate.ts';
import { validateMetadata, validateMetadataUpdate } from './metadata.ts';
import { scaleErrors } from './scale-validation.ts';

interface Validation {
  readonly old?: KubeObject;
  readonly context: WriteContext;
  /** The answer to an object that cannot even be read as its kind. */
  readonly malformed: (why: string) => ApiError;
}

/** Throws 422 naming every field that makes the object illegal, 400 for a type built-ins cannot decode. */
export function assertValid(
  target: Target,
  object: KubeObject,
  { old, context, malformed }: Validation,
): void {
  const { resource, version } = target.served;
  const { strategy, namespaced, custom } = resource;
  const metadata = [
    ...validateMetadata(object, { nameRule: strategy.nameRule, namespaced, custom }),
    // Reported twice, by the general rules of an update and by those of the kind.
    ...(old
      ? [...validateMetadataUpdate(object, old), ...validateMetadataUpdate(object, old)]
      : []),
  ];
  const shape = validate(version.schema, object, {
    earlier: metadata,
    statusOnly: target.subresource === 'status',
    ...(old ? { old } : {}),
  });
  if (!resource.custom) assertDecodable(shape, malformed);
  const own = [
    ...(strategy.validate?.(object, old, context) ?? []),
    ...(resource.custom && version.scale ? scaleErrors(object, version.scale) : []),
  ];
  const errors = [
    ...metadata,
    ...own,
    ...(strategy.replacesSchemaValidation ? [] : withoutRepeats(shape, own)),
  ];
  if (errors.length > 0) throw invalidObject(kindSubjectOf(target, object.metadata.name), errors);
}

function assertDecodable(
  errors: readonly FieldError[],
  malformed: (why: string) => ApiError,
): void {
  const wrong = errors.find(({ reason }) => reason === 'FieldValueTypeInvalid');
  if (wrong) throw malformed(`${wrong.field}: ${wrong.message}`);
}

/** The schema's errors, without those that the kind's own rules report too, or of what is missing. */
function withoutRepeats(
  shape: readonly FieldError[],
  own: readonly FieldError[],
): readonly FieldError[] {
  if (own.length === 0) return shape;
  return shape.filter(
    ({ reason, field }) =>
      !own.some(
        (one) =>
          one.field === field && (one.reason === reason || one.reason === 'FieldValueRequired'),
      ),
  );
}

export function contextOf(server: ServerState, writer: Pick<Writer, 'dryRun'>): WriteContext {
  return {
    store: server.store,
    services: server.services,
    now: server.clock(),
    dryRun: writer.dryRun,
  };
}
