import type { ContractCase, Expectation, Step } from '../contract-case.ts';
import { post } from '../requests.ts';

const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const review = {
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectAccessReview',
  spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
};
const inForm = (as: string): string => `application/json;as=${as};v=v1;g=meta.k8s.io`;

const asked = (path: string, accept: string, expect: Expectation): Step => ({
  request: { ...post(path, path === reviews ? review : {}), headers: { accept } },
  expect,
});
const noTable: Expectation = {
  status: 406,
  error: {
    reason: 'NotAcceptable',
    message:
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  },
};

export const cases: readonly ContractCase[] = [
  {
    id: 'forms',
    reason: 'reviews have no table',
    steps: [
      asked(reviews, inForm('Table'), noTable),
      asked('/apis/authentication.k8s.io/v1/selfsubjectreviews', inForm('Table'), noTable),
      asked(reviews, `${inForm('Table')},application/json`, {
        status: 201,
        body: { kind: 'SelfSubjectAccessReview', status: { allowed: true } },
      }),
      asked(reviews, inForm('PartialObjectMetadata'), {
        status: 201,
        body: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', spec: undefined },
      }),
      asked(reviews, inForm('PartialObjectMetadataList'), {
        status: 406,
        error: {
          reason: 'NotAcceptable',
          message:
            'you requested PartialObjectMetadataList, but the requested object is not a list (*authorization.SelfSubjectAccessReview)',
        },
      }),
    ],
  },
];
