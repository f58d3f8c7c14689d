import type { KubeObject } from '../../objects/object.ts';
import type { ScalePaths } from '../../resources/resource.ts';
import type { Schema } from '../../schema/schema.ts';

/** A CustomResourceDefinition, with the fields that serving it needs. */
export interface Definition extends KubeObject {
  spec: DefinitionSpec;
  status?: DefinitionStatus;
}

export interface DefinitionSpec {
  group: string;
  scope: string;
  names: DefinitionNames;
  versions: DefinitionVersion[];
  conversion?: { strategy?: string };
  preserveUnknownFields?: boolean;
}

export interface DefinitionNames {
  plural: string;
  kind: string;
  singular?: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

export interface DefinitionVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: Schema };
  subresources?: { status?: unknown; scale?: ScalePaths };
  additionalPrinterColumns?: PrinterColumn[];
  selectableFields?: { jsonPath: string }[];
}

export interface PrinterColumn {
  name: string;
  type: string;
  jsonPath: string;
  format?: string;
  description?: string;
  priority?: number;
}

export interface DefinitionStatus {
  conditions?: Condition[] | null;
  acceptedNames?: Partial<DefinitionNames>;
  storedVersions?: string[];
}

export interface Condition {
  type: string;
  status: string;
  lastTransitionTime: string;
  reason: string;
  message: string;
}

export const definitionsCollection = 'customresourcedefinitions.apiextensions.k8s.io';

/** The finalizer that keeps a deleted definition until its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export function hasCondition({ status }: Definition, type: string): boolean {
  return status?.conditions?.some((one) => one.type === type && one.status === 'True') === true;
}

export function isDeleting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}
