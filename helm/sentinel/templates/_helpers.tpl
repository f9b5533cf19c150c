{{- define "sentinel.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "sentinel.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "sentinel.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "sentinel.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "sentinel.selector" -}}
app.kubernetes.io/name: {{ include "sentinel.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "sentinel.labels" -}}
{{ include "sentinel.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "sentinel.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "sentinel.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "sentinel.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{/* The pod template: a dict of root, component, settings (values of the component), args, port. */}}
{{- define "sentinel.pod" -}}
{{- $values := .root.Values -}}
metadata:
  labels:
    {{- include "sentinel.selector" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
  annotations:
    checksum/config: {{ toYaml $values.config | sha256sum }}
    {{- with .settings.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "sentinel.serviceAccountName" .root }}
  automountServiceAccountToken: false
  # Service links would add SENTINEL_… variables, which are read as settings.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .settings.terminationGracePeriodSeconds }}
  {{- with $values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: {{ $values.runAsUser | int64 }}
    runAsGroup: {{ $values.runAsGroup | int64 }}
    fsGroup: {{ $values.runAsGroup | int64 }}
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: {{ .component }}
      image: {{ include "sentinel.image" .root | quote }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      args:
        {{- toYaml .args | nindent 8 }}
      # A store or a file named by a relative path lands where it can be written.
      workingDir: /var/lib/sentinel
      env:
        - name: SENTINEL_STORE
          valueFrom:
            secretKeyRef:
              name: {{ $values.secret.existingSecret }}
              key: {{ $values.secret.storeKey }}
        - name: SENTINEL_SAMPLING__SALT
          valueFrom:
            secretKeyRef:
              name: {{ $values.secret.existingSecret }}
              key: {{ $values.secret.saltKey }}
        {{- range $values.secretEnvironment }}
        - name: {{ .name }}
          valueFrom:
            secretKeyRef:
              name: {{ .existingSecret }}
              key: {{ .key }}
        {{- end }}
        {{- with .environment }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
        - name: HOME
          value: /tmp
        - name: MPLCONFIGDIR
          value: /tmp/matplotlib
      ports:
        - name: http
          containerPort: {{ .port }}
          protocol: TCP
      {{- if .settings.livenessProbe.enabled }}
      livenessProbe:
        httpGet: {path: /healthz, port: http}
        {{- with omit .settings.livenessProbe "enabled" }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- end }}
      {{- if .settings.readinessProbe.enabled }}
      readinessProbe:
        httpGet: {path: /readyz, port: http}
        {{- with omit .settings.readinessProbe "enabled" }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- end }}
      resources:
        {{- toYaml .settings.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        runAsNonRoot: true
        runAsUser: {{ $values.runAsUser | int64 }}
        runAsGroup: {{ $values.runAsGroup | int64 }}
        capabilities:
          drop: [ALL]
        seccompProfile:
          type: RuntimeDefault
      volumeMounts:
        - name: config
          mountPath: /etc/sentinel/config.yaml
          subPath: config.yaml
          readOnly: true
        - name: tmp
          mountPath: /tmp
        - name: data
          mountPath: /var/lib/sentinel
        {{- range $index, $file := $values.secretFiles }}
        - name: secret-{{ $index }}
          mountPath: /etc/sentinel/secrets/{{ $file.existingSecret }}
          readOnly: true
        {{- end }}
  volumes:
    - name: config
      configMap:
        name: {{ include "sentinel.fullname" .root }}
    - name: tmp
      emptyDir:
        sizeLimit: {{ $values.storage.tmpSize }}
    - name: data
      emptyDir:
        sizeLimit: {{ $values.storage.dataSize }}
    {{- range $index, $file := $values.secretFiles }}
    - name: secret-{{ $index }}
      secret:
        secretName: {{ $file.existingSecret }}
        defaultMode: 0440
    {{- end }}
  {{- with .settings.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .settings.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .settings.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
