import { badRequest } from '../errors/errors.ts';

/** Where the next page of a list begins: `start` is a key within the list, `rv` its revision. */
export interface ContinueToken {
  /** -1: at whatever revision is current, consistent with the first page or not. */
  readonly rv: number;
  readonly start: string;
}

/** The token for what follows `lastKey`. */
export const encodeToken = (lastKey: string, rv: number): string =>
  Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv, start: `${lastKey}\u0000` })).toString(
    'base64url',
  );

export const encodeStart = ({ start, rv }: ContinueToken): string =>
  Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv, start })).toString('base64url');

export const decodeToken = (text: string): ContinueToken => {
  const token = parse(text);
  if (token?.v !== 'meta.k8s.io/v1' || typeof token.start !== 'string') {
    throw badRequest(
      `invalid continue token: continue key is not valid: server does not recognize this encoded version ${token?.v ?? ''}`,
    );
  }
  if (typeof token.rv !== 'number' || token.rv === 0) {
    throw badRequest(
      'invalid continue token: continue key is not valid: incorrect encoded start resourceVersion',
    );
  }
  return { rv: token.rv, start: token.start };
};

const parse = (text: string): Record<string, unknown> | undefined => {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    const wrong = text.search(/[^A-Za-z0-9_-]/);
    const at = wrong >= 0 ? wrong : text.length - (text.length % 4);
    throw badRequest(
      `invalid continue token: continue key is not valid: illegal base64 data at input byte ${at}`,
    );
  }
};
