/** Everything of a resource that its children may depend on. */
export interface Resource<Spec> {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly spec: Spec;
}
