# Starts the build engine, which does everything: .\build.ps1 --help
$ErrorActionPreference = 'Stop'
$python = @(Get-Command python, python3 -ErrorAction Ignore) + 'python'
& $python[0] (Join-Path $PSScriptRoot 'eng/build.py') @args
exit $LASTEXITCODE
