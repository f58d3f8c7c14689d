import type { ContractCase, Step } from '../contract-case.ts';
import { badRequest } from '../errors.ts';
import { configMap, gadget, paths } from '../objects.ts';
import { apply, del, get, mergePatch, post, put } from '../requests.ts';

const { configMaps, gadgets } = paths;
const accepting = (as: string) => ({ accept: `application/json;as=${as};v=v1;g=meta.k8s.io` });
const unknownRows = '?includeObject=x';
const refused = {
  status: 400,
  error: badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: "x": must be 'Metadata', 'Object', 'None', or empty`,
  ),
};

/** Requests a form that the answer cannot have. */
function unseen(as: string, step: Step): Step {
  const { request } = step;
  return { ...step, request: { ...request, headers: { ...request.headers, ...accepting(as) } } };
}

const there = (path: string, body: object): Step => ({
  request: get(path),
  expect: { status: 200, body },
});
const missing = (path: string): Step => ({ request: get(path), expect: { status: 404 } });

export const cases: readonly ContractCase[] = [
  {
    id: 'table',
    reason: 'a write is stored before its answer is found to be impossible',
    steps: [
      unseen('Table', {
        request: post(`${configMaps}${unknownRows}`, configMap('x')),
        expect: refused,
      }),
      there(`${configMaps}/x`, { data: { a: '1' } }),
      unseen('Table', {
        request: put(`${configMaps}/x${unknownRows}`, configMap('x', { a: '2' })),
        expect: refused,
      }),
      there(`${configMaps}/x`, { data: { a: '2' } }),
      unseen('Table', {
        request: mergePatch(`${configMaps}/x${unknownRows}`, { data: { a: '3' } }, {}),
        expect: refused,
      }),
      there(`${configMaps}/x`, { data: { a: '3' } }),
      unseen('Table', {
        request: apply(`${gadgets}/x${unknownRows}&fieldManager=m`, gadget('x', { size: 4 }), {}),
        expect: refused,
      }),
      there(`${gadgets}/x`, { spec: { size: 4 } }),
      unseen('Table', { request: del(`${configMaps}/x${unknownRows}`), expect: refused }),
      missing(`${configMaps}/x`),
      unseen('Table', { request: del(`${gadgets}${unknownRows}`), expect: refused }),
      { ...missing(`${gadgets}/x`), eventually: true },
    ],
  },
  {
    id: 'list',
    reason: 'the same of a list where there is one object, and of an object where there is a list',
    steps: [
      unseen('PartialObjectMetadataList', {
        request: post(configMaps, configMap('x')),
        expect: { status: 406 },
      }),
      there(`${configMaps}/x`, {}),
      unseen('PartialObjectMetadataList', {
        request: post(gadgets, gadget('x')),
        expect: { status: 500 },
      }),
      there(`${gadgets}/x`, {}),
      unseen('PartialObjectMetadata', { request: del(gadgets), expect: { status: 406 } }),
      { ...missing(`${gadgets}/x`), eventually: true },
    ],
  },
];
