import { present, textAt, valueAt } from '../../../shared/json.ts';

/** `google.rpc` codes by HTTP code; others are mapped by their hundred. */
const rpcCodes: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  408: 4,
  409: 10,
  412: 9,
  422: 3,
  429: 8,
  499: 1,
  501: 12,
  503: 14,
  504: 4,
};
const alreadyExists = 6;

/** A Kubernetes `responseStatus` as a `google.rpc.Status`: `{}` for success. */
export function rpcStatusOf(responseStatus: unknown): object {
  const code = valueAt(responseStatus, 'code');
  if (typeof code !== 'number' || code < 400) return {};
  const exists = textAt(responseStatus, 'reason') === 'AlreadyExists';
  return {
    code: exists ? alreadyExists : (rpcCodes[code] ?? (code < 500 ? 9 : 13)),
    ...present({ message: textAt(responseStatus, 'message') }),
  };
}
