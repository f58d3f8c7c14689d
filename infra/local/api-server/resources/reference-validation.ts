import type { FieldError } from '../errors/errors.ts';
import { pathSegment } from '../objects/names.ts';
import { type JsonMap, textAt } from '../objects/object.ts';
import { invalid, required } from '../schema/field-error.ts';
import { misnamed } from './bounds.ts';

/** What is wrong with a reference to an object by version, kind and name. */
export const referenceErrors = (
  reference: JsonMap,
  path: string,
  { needsGroup }: { readonly needsGroup: boolean },
): FieldError[] => [
  ...['kind', 'name'].flatMap((field) => {
    const text = textAt(reference, field);
    if (text === '') return [required(`${path}.${field}`)];
    return misnamed(text, `${path}.${field}`, pathSegment);
  }),
  ...versionErrors(textAt(reference, 'apiVersion'), `${path}.apiVersion`, needsGroup),
];

const versionErrors = (version: string, field: string, needsGroup: boolean): FieldError[] => {
  const [group = '', , more] = version.split('/');
  if (more !== undefined) {
    return [invalid(field, version, `unexpected GroupVersion string: ${version}`)];
  }
  const hasGroup = group !== '' && version.includes('/');
  return hasGroup || !needsGroup
    ? []
    : [invalid(field, version, 'apiVersion must specify API group')];
};
