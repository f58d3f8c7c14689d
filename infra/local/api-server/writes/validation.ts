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
  /** Builds the answer for an object that cannot be decoded as its kind. */
  readonly malformed: (why: string) => ApiError;
}

/** Throws a 422 with every invalid field, or a 400 for a type that a built-in kind cannot decode. */
export function assertValid(
  target: Target,
  object: KubeObject,
  { old, context, malformed }: Validation,
): void {
  const { resource, version } = target.served;
  const { strategy, namespaced, custom } = resource;
  const metadata = [
    ...validateMetadata(object, { nameRule: strategy.nameRule, namespaced, custom }),
    // Includes these errors twice, because the server reports them by the general rules of an update and by the rules
    // of the kind.
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

/** Removes the schema's errors that the kind's own rules report, too, or that concern missing fields. */
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
