import { parse as parseYaml } from 'yaml';
import { badRequest, unsupportedMediaType } from '../errors/errors.ts';

/** Reads a JSON body, or a YAML one; neither is a 400. */
export const parseBody = (body: string, format: 'json' | 'yaml'): unknown => {
  try {
    if (format === 'json' || body.trimStart().startsWith('{')) return JSON.parse(body);
  } catch (error) {
    if (format === 'json') {
      const why = error instanceof Error ? error.message : String(error);
      throw badRequest(`couldn't get version/kind; json parse error: ${why}`);
    }
  }
  try {
    return parseYaml(body);
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : error}`);
  }
};

const OBJECT_TYPES = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
];

/** Reads the body of a create or an update. */
export const parseObjectBody = (body: string, contentType: string): unknown => {
  if (contentType === 'application/yaml') return parseBody(body, 'yaml');
  // A body without a type is taken for JSON, as curl sends it.
  if (['application/json', '', 'application/x-www-form-urlencoded'].includes(contentType)) {
    return parseBody(body, 'json');
  }
  throw unsupportedMediaType(OBJECT_TYPES);
};
