@echo off
rem The commands of ./run that work on Windows. The first one makes what it needs inside this folder: Python 3.13 and
rem Blender as a Python module, a download of some 400 MB. docs\development.md describes the commands.
setlocal
set "checkout=%~dp0"
set "python=%checkout%.venv\Scripts\python"
set "command=%~1"
for %%c in (demo skinscope test lint docs build help) do if /i "%command%"=="%%c" goto known
if not "%command%"=="" echo run: unknown command: %command%>&2
call :usage >&2
exit /b 2

:known
if /i "%command%"=="help" goto usage
rem What follows the command, with its quotes.
set "rest="
:next
shift
if [%1]==[] goto ready
set rest=%rest% %1
goto next

:ready
call :environment
if errorlevel 1 exit /b 2
set "PYTHONPATH=%checkout%;%PYTHONPATH%"
goto do_%command%

:do_demo
"%python%" -P -m skinning_addon demo%rest%
exit /b %errorlevel%

:do_skinscope
"%python%" -P -m skinning_addon%rest%
exit /b %errorlevel%

:do_test
cd /d "%checkout%"
"%python%" -m pytest%rest%
exit /b %errorlevel%

:do_lint
cd /d "%checkout%"
set "status=0"
"%python%" -m ruff check
if errorlevel 1 set "status=1"
"%python%" -m ruff format --check
if errorlevel 1 set "status=1"
"%python%" -m pyright
if errorlevel 1 set "status=1"
"%checkout%.venv\Scripts\lint-imports" --no-logo
if errorlevel 1 set "status=1"
exit /b %status%

:do_docs
cd /d "%checkout%"
call :site
if errorlevel 1 exit /b 2
echo dist\site\index.html
exit /b 0

:do_build
cd /d "%checkout%"
call :builder_in
if exist "%~1\scripts\addons_core\bl_pkg\cli\blender_ext.py" set "builder=%~1\scripts\addons_core\bl_pkg\cli\blender_ext.py"
exit /b 0

:version
for /d %%d in (.venv\Lib\site-packages\bpy\*) do call :builder_in "%%d"
if not exist dist mkdir dist
"%python%" "%builder%" build --source-dir . --output-dir dist
if errorlevel 1 exit /b 2
call :site
if errorlevel 1 exit /b 2
"%python%" docs\put_site_into_zip.py "dist\skinscope-%version%.zip"
if errorlevel 1 exit /b 2
call :find_uv
if errorlevel 1 exit /b 2
call "%uv%" build --quiet --wheel wheels\core --out-dir dist
if errorlevel 1 exit /b 2
call "%uv%" build --quiet --wheel . --out-dir dist
if errorlevel 1 exit /b 2
echo dist\skinscope-%version%.zip
exit /b 0

:builder_in
if exist "%~1\scripts\addons_core\bl_pkg\cli\blender_ext.py" set "builder=%~1\scripts\addons_core\bl_pkg\cli\blender_ext.py"
exit /b 0

:version
for /f "tokens=2 delims== " %%v in ('findstr /b "version" blender_manifest.toml') do set "version=%%~v"
exit /b 0

:site
call :find_uv
if errorlevel 1 exit /b 2
set "NO_MKDOCS_2_WARNING=1"
rem The versions that ./run names too.
call "%uv%" tool run --quiet --python 3.13 --from mkdocs==1.6.1 --with mkdocs-material==9.8.2 mkdocs --quiet build --strict
exit /b %errorlevel%

:environment
fc /b "%checkout%pyproject.toml" "%checkout%.venv\made-from-pyproject.toml" >nul 2>nul
if not errorlevel 1 exit /b 0
call :find_uv
if errorlevel 1 exit /b 2
if not exist "%checkout%.venv\Scripts" call "%uv%" venv --quiet --clear --python 3.13 "%checkout%.venv"
if not exist "%checkout%.venv\Scripts" exit /b 2
echo run: preparing .venv (once; Blender as a Python module is a download of some 400 MB) >&2
set "groups="
for %%g in (blender test lint cluster) do call :group %%g
call "%uv%" pip install --quiet --python "%checkout%.venv" %groups%
if errorlevel 1 exit /b 2
copy /y "%checkout%pyproject.toml" "%checkout%.venv\made-from-pyproject.toml" >nul
exit /b 0

:group
set groups=%groups% --group "%checkout%pyproject.toml:%1"
exit /b 0

:find_uv
set "uv=uv"
for %%u in (uv.exe uv.cmd uv.bat) do if not "%%~$PATH:u"=="" exit /b 0
set "uv=%checkout%.uv\Scripts\uv"
if exist "%uv%.exe" exit /b 0
echo run: fetching uv (once) >&2
py -3 -m venv "%checkout%.uv"
if not errorlevel 1 "%checkout%.uv\Scripts\pip" install -q uv==0.13.8
if exist "%uv%.exe" exit /b 0
echo run: uv could not be fetched; install Python from python.org, or uv itself, then try again >&2
exit /b 2

:usage
echo usage: run COMMAND [ARGUMENTS]
echo.
echo   demo [--output DIR]    build a rigged human, skin it, compare it with Blender; write a picture and a report
echo   skinscope COMMAND ...  check, export, diff, refit and others: 'run skinscope --help' explains them
echo   build                  the extension for Blender, and the wheels for pip, into dist
echo   docs                   the documentation as a site, dist\site\index.html
echo   test [ARGUMENTS]       the tests, by pytest, on Blender as a Python module
echo   lint                   ruff, pyright, import-linter
exit /b 0
