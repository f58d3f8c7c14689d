import { accessCases } from './cases/access.ts';
import { addressingCases } from './cases/addressing.ts';
import { applyBodiesCases } from './cases/apply-bodies.ts';
import { applyBuiltInListsCases } from './cases/apply-built-in-lists.ts';
import { applyConflictsCases } from './cases/apply-conflicts.ts';
import { applyListsCases } from './cases/apply-lists.ts';
import { applyOwnershipCases } from './cases/apply-ownership.ts';
import { applyValuesCases } from './cases/apply-values.ts';
import { boundsValidationCases } from './cases/bounds-validation.ts';
import { builtInValidationCases } from './cases/built-in-validation.ts';
import { containerEnvironmentCases } from './cases/container-environment.ts';
import { containerHandlersCases } from './cases/container-handlers.ts';
import { containerResourcesCases } from './cases/container-resources.ts';
import { containerValidationCases } from './cases/container-validation.ts';
import { contentValidationCases } from './cases/content-validation.ts';
import { controllersCases } from './cases/controllers.ts';
import { crdFormCases } from './cases/crd-form.ts';
import { crdValidationCases } from './cases/crd-validation.ts';
import { crdsCases } from './cases/crds.ts';
import { createCases } from './cases/create.ts';
import { createRefusedCases } from './cases/create-refused.ts';
import { deepObjectsCases } from './cases/deep-objects.ts';
import { defaultingCases } from './cases/defaulting.ts';
import { deleteCases } from './cases/delete.ts';
import { discoveryCases } from './cases/discovery.ts';
import { dryRunCases } from './cases/dry-run.ts';
import { embeddedValidationCases } from './cases/embedded-validation.ts';
import { errorsCases } from './cases/errors.ts';
import { eventsCases } from './cases/events.ts';
import { finalizersCases } from './cases/finalizers.ts';
import { fixedSettingsCases } from './cases/fixed-settings.ts';
import { garbageCollectionCases } from './cases/garbage-collection.ts';
import { generationCases } from './cases/generation.ts';
import { jsonPatchCases } from './cases/json-patch.ts';
import { jsonPatchFormsCases } from './cases/json-patch-forms.ts';
import { listParametersCases } from './cases/list-parameters.ts';
import { listVersionsCases } from './cases/list-versions.ts';
import { listsCases } from './cases/lists.ts';
import { lockFormsCases } from './cases/lock-forms.ts';
import { locksCases } from './cases/locks.ts';
import { managedFieldsCases } from './cases/managed-fields.ts';
import { managedFieldsChangesCases } from './cases/managed-fields-changes.ts';
import { managedFieldsEditedCases } from './cases/managed-fields-edited.ts';
import { mediaTypesCases } from './cases/media-types.ts';
import { mergePatchCases } from './cases/merge-patch.ts';
import { namespacesCases } from './cases/namespaces.ts';
import { nodePortsCases } from './cases/node-ports.ts';
import { numbersCases } from './cases/numbers.ts';
import { objectLimitsCases } from './cases/object-limits.ts';
import { pagingCases } from './cases/paging.ts';
import { pathNamesCases } from './cases/path-names.ts';
import { podDefaultingCases } from './cases/pod-defaulting.ts';
import { podNetworkCases } from './cases/pod-network.ts';
import { podPlacementCases } from './cases/pod-placement.ts';
import { podSpreadingCases } from './cases/pod-spreading.ts';
import { podValidationCases } from './cases/pod-validation.ts';
import { podVolumesCases } from './cases/pod-volumes.ts';
import { preconditionsCases } from './cases/preconditions.ts';
import { prototypeKeysCases } from './cases/prototype-keys.ts';
import { regularExpressionsCases } from './cases/regular-expressions.ts';
import { reviewFormsCases } from './cases/review-forms.ts';
import { rulesCases } from './cases/rules.ts';
import { scaleCases } from './cases/scale.ts';
import { scaleOwnershipCases } from './cases/scale-ownership.ts';
import { schemaValidationCases } from './cases/schema-validation.ts';
import { selectorsCases } from './cases/selectors.ts';
import { servedVerbsCases } from './cases/served-verbs.ts';
import { serviceAllocationCases } from './cases/service-allocation.ts';
import { serviceChangesCases } from './cases/service-changes.ts';
import { serviceValidationCases } from './cases/service-validation.ts';
import { servicesCases } from './cases/services.ts';
import { statusCases } from './cases/status.ts';
import { statusIsolationCases } from './cases/status-isolation.ts';
import { statusValidationCases } from './cases/status-validation.ts';
import { strategicDirectivesCases } from './cases/strategic-directives.ts';
import { strategicPatchCases } from './cases/strategic-patch.ts';
import { structuralSchemasCases } from './cases/structural-schemas.ts';
import { tablesCases } from './cases/tables.ts';
import { timeoutsCases } from './cases/timeouts.ts';
import { updateCases } from './cases/update.ts';
import { validationCases } from './cases/validation.ts';
import { watchCases } from './cases/watch.ts';
import { workloadBoundsCases } from './cases/workload-bounds.ts';
import { workloadDefaultingCases } from './cases/workload-defaulting.ts';
import { workloadSettingsCases } from './cases/workload-settings.ts';
import { workloadValidationCases } from './cases/workload-validation.ts';
import { writeFormsCases } from './cases/write-forms.ts';
import { yamlBodiesCases } from './cases/yaml-bodies.ts';
import { zeroValuesCases } from './cases/zero-values.ts';
import type { ContractCase } from './contract-case.ts';

/** The contract, by area; an area and a case's id make the name of its namespace. */
export const allCases: Readonly<Record<string, readonly ContractCase[]>> = {
  access: accessCases,
  addressing: addressingCases,
  'apply-bodies': applyBodiesCases,
  'apply-built-in-lists': applyBuiltInListsCases,
  'apply-conflicts': applyConflictsCases,
  'apply-lists': applyListsCases,
  'apply-ownership': applyOwnershipCases,
  'apply-values': applyValuesCases,
  'bounds-validation': boundsValidationCases,
  'built-in-validation': builtInValidationCases,
  controllers: controllersCases,
  'crd-validation': crdValidationCases,
  crds: crdsCases,
  create: createCases,
  'create-refused': createRefusedCases,
  'deep-objects': deepObjectsCases,
  defaulting: defaultingCases,
  delete: deleteCases,
  discovery: discoveryCases,
  'dry-run': dryRunCases,
  errors: errorsCases,
  events: eventsCases,
  finalizers: finalizersCases,
  'garbage-collection': garbageCollectionCases,
  generation: generationCases,
  'json-patch': jsonPatchCases,
  'json-patch-forms': jsonPatchFormsCases,
  'strategic-directives': strategicDirectivesCases,
  numbers: numbersCases,
  'prototype-keys': prototypeKeysCases,
  'list-parameters': listParametersCases,
  'list-versions': listVersionsCases,
  lists: listsCases,
  'lock-forms': lockFormsCases,
  locks: locksCases,
  'managed-fields': managedFieldsCases,
  'managed-fields-changes': managedFieldsChangesCases,
  'managed-fields-edited': managedFieldsEditedCases,
  'media-types': mediaTypesCases,
  'merge-patch': mergePatchCases,
  namespaces: namespacesCases,
  'node-ports': nodePortsCases,
  paging: pagingCases,
  'path-names': pathNamesCases,
  'pod-defaulting': podDefaultingCases,
  'review-forms': reviewFormsCases,
  rules: rulesCases,
  scale: scaleCases,
  'schema-validation': schemaValidationCases,
  selectors: selectorsCases,
  services: servicesCases,
  status: statusCases,
  'status-isolation': statusIsolationCases,
  'strategic-patch': strategicPatchCases,
  'structural-schemas': structuralSchemasCases,
  tables: tablesCases,
  timeouts: timeoutsCases,
  update: updateCases,
  validation: validationCases,
  watch: watchCases,
  'workload-defaulting': workloadDefaultingCases,
  'workload-validation': workloadValidationCases,
  'content-validation': contentValidationCases,
  'scale-ownership': scaleOwnershipCases,
  'served-verbs': servedVerbsCases,
  'service-allocation': serviceAllocationCases,
  'service-changes': serviceChangesCases,
  'workload-bounds': workloadBoundsCases,
  'write-forms': writeFormsCases,
  'container-validation': containerValidationCases,
  'pod-validation': podValidationCases,
  'service-validation': serviceValidationCases,
  'object-limits': objectLimitsCases,
  'workload-settings': workloadSettingsCases,
  'crd-form': crdFormCases,
  'yaml-bodies': yamlBodiesCases,
  'regular-expressions': regularExpressionsCases,
  'embedded-validation': embeddedValidationCases,
  'container-environment': containerEnvironmentCases,
  'container-resources': containerResourcesCases,
  'container-handlers': containerHandlersCases,
  'pod-placement': podPlacementCases,
  'pod-spreading': podSpreadingCases,
  'pod-network': podNetworkCases,
  'pod-volumes': podVolumesCases,
  'fixed-settings': fixedSettingsCases,
  'zero-values': zeroValuesCases,
  preconditions: preconditionsCases,
  'status-validation': statusValidationCases,
};
