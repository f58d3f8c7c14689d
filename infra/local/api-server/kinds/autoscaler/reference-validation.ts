import type { FieldError } from '../../errors/field-error.ts';
import { invalid, required } from '../../errors/field-error.ts';
import { type JsonObject, textAt } from '../../json/value.ts';
import { misnamed } from '../../objects/field-rules.ts';
import { pathSegment } from '../../objects/names.ts';

/** Validates a reference to an object by version, kind and name. */
export function referenceErrors(
  reference: JsonObject,
  path: string,
  { needsGroup }: { readonly needsGroup: boolean },
): FieldError[] {
  return [
    ...['kind', 'name'].flatMap((field) => {
      const text = textAt(reference, field);
      if (text === '') return [required(`${path}.${field}`)];
      return misnamed(text, `${path}.${field}`, pathSegment);
    }),
    ...versionErrors(textAt(reference, 'apiVersion'), `${path}.apiVersion`, needsGroup),
  ];
}

function versionErrors(version: string, field: string, needsGroup: boolean): FieldError[] {
  const [group = '', , more] = version.split('/');
  if (more !== undefined) {
    return [invalid(field, version, `unexpected GroupVersion string: ${version}`)];
  }
  const hasGroup = group !== '' && version.includes('/');
  return hasGroup || !needsGroup
    ? []
    : [invalid(field, version, 'apiVersion must specify API group')];
}
